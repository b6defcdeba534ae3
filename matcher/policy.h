// Fluxion's match policies: which of the vertices, or nodes, that fit a match
// takes.
//
//   first, firstnodex   the first that is found, highest ids first
//   low, high           lowest or highest id
//   lonode, hinode      the same, from the lowest or highest node first
//   lonodex, hinodex    the same, and whole nodes
//   locality            consecutive ids
//   variation           low performance classes (property perf_class)
//
// A policy may also be composed: "policy=low node_centric=true
// node_exclusive=true stop_on_1_matches=true". Each key but `policy` may be
// left out, and is false then.
// Tests: tests/matcher/policy_test.cc, tests/matcher/fluxion/matcher_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fluxnetes::matcher {

struct Policy {
  enum class Score : std::uint8_t { kId, kLocality, kVariation };

  Score score = Score::kId;
  bool descending = false;      // higher scores first
  bool node_centric = false;    // vertices of one node stay together
  bool node_exclusive = false;  // a job takes whole nodes
  bool stop_on_match = false;   // the search ends when it has enough

  bool operator==(const Policy&) const = default;

  static const Policy kFirst;
  static const Policy kFirstnodex;
  static const Policy kHigh;
  static const Policy kLow;
  static const Policy kHinode;
  static const Policy kLonode;
  static const Policy kHinodex;
  static const Policy kLonodex;
  static const Policy kLocality;
  static const Policy kVariation;
};

inline constexpr Policy Policy::kFirst = {Score::kId, true, true, false, true};
inline constexpr Policy Policy::kFirstnodex = {Score::kId, true, true, true,
                                               true};
inline constexpr Policy Policy::kHigh = {Score::kId, true, false, false, false};
inline constexpr Policy Policy::kLow = {Score::kId, false, false, false, false};
inline constexpr Policy Policy::kHinode = {Score::kId, true, true, false,
                                           false};
inline constexpr Policy Policy::kLonode = {Score::kId, false, true, false,
                                           false};
inline constexpr Policy Policy::kHinodex = {Score::kId, true, true, true,
                                            false};
inline constexpr Policy Policy::kLonodex = {Score::kId, false, true, true,
                                            false};
inline constexpr Policy Policy::kLocality = {Score::kLocality, true, false,
                                             false, false};
inline constexpr Policy Policy::kVariation = {Score::kVariation, false, false,
                                              false, false};

// The worst performance class, and that of what has none.
inline constexpr std::int64_t kWorstClass = 9'999;

// Returns nothing if the text is neither a name nor a composed policy.
std::optional<Policy> ParsePolicy(std::string_view text);
// Returns the name, or the shortest composed form if it has none.
std::string Name(const Policy& policy);

// Reads a performance class, a number from 0 to kWorstClass. Returns nothing if
// the text is not one.
std::optional<std::int64_t> ParseClass(std::string_view text);

}  // namespace fluxnetes::matcher
