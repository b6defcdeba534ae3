// Fluxion's match policies: which of the vertices that fit a match takes.
//
//   first, firstnodex   the first that is found, highest ids first
//   low, high           lowest or highest id
//   lonode, hinode      the same, from the lowest or highest node first
//   lonodex, hinodex    the same, and whole nodes
//   locality            consecutive ids
//   variation           low performance classes (property perf_class)
//
// A policy may also be composed: "policy=low node_centric=true
// node_exclusive=true stop_on_1_matches=true".
#pragma once

#include <optional>
#include <string_view>

#include "matcher/policy.h"

namespace fluxnetes::matcher {

struct MatchPolicy {
  enum class Score { kId, kLocality, kVariation };

  Score score = Score::kId;
  bool descending = false;      // higher scores first
  bool node_centric = false;    // vertices of one node stay together
  bool node_exclusive = false;  // a job takes whole nodes
  bool stop_on_match = false;   // the search ends when it has enough

  // Returns nothing if the text is not a policy.
  static std::optional<MatchPolicy> Parse(std::string_view text);
  static MatchPolicy Of(Policy policy);
};

}  // namespace fluxnetes::matcher
