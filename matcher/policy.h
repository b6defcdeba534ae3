// Fluxion's match policies: which of the vertices that fit a match takes.
//
//   first   the first that is found      low, high      lowest, highest id
//   lonode, hinode   lowest, highest node id first, then within the node
// Tests: tests/matcher/fluxion/matcher_test.cc,
// tests/matcher/selection/match_policy_test.cc.
#pragma once

#include <optional>
#include <string_view>

namespace fluxnetes::matcher {

enum class Policy { kFirst, kLow, kHigh, kLonode, kHinode };

std::optional<Policy> ParsePolicy(std::string_view name);
std::string_view Name(Policy policy);

}  // namespace fluxnetes::matcher
