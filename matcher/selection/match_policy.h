// Which of the vertices that fit a match takes: Fluxion's match policies.
//
//   first, firstnodex   what is found first, highest ids first
//   low, high           lowest or highest id
//   lonode, hinode      the same, of lowest or highest node first
//   lonodex, hinodex    the same, and nodes go whole
//   locality            ids that follow one another
//   variation           low performance classes (property perf_class)
//
// or put together of parts: "policy=low node_centric=true node_exclusive=true
// stop_on_1_matches=true".
#pragma once

#include <optional>
#include <string_view>

#include "matcher/policy.h"

namespace fluxnetes::matcher {

struct MatchPolicy {
  enum class Score { kId, kLocality, kVariation };

  Score score = Score::kId;
  bool descending = false;      // higher scores first
  bool node_centric = false;    // what is of one node stays together
  bool node_exclusive = false;  // a job takes whole nodes
  bool stop_on_match = false;   // looks no further than it must

  // Nothing if the text is none.
  static std::optional<MatchPolicy> Parse(std::string_view text);
  static MatchPolicy Of(Policy policy);
};

}  // namespace fluxnetes::matcher
