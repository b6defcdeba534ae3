#include "matcher/selection/match_policy.h"

#include <array>
#include <utility>

namespace fluxnetes::matcher {
namespace {

using Score = MatchPolicy::Score;

constexpr std::array<std::pair<std::string_view, MatchPolicy>, 10>
    kMatchPolicyNames{{
        {"first", {Score::kId, true, true, false, true}},
        {"firstnodex", {Score::kId, true, true, true, true}},
        {"high", {Score::kId, true, false, false, false}},
        {"low", {Score::kId, false, false, false, false}},
        {"hinode", {Score::kId, true, true, false, false}},
        {"lonode", {Score::kId, false, true, false, false}},
        {"hinodex", {Score::kId, true, true, true, false}},
        {"lonodex", {Score::kId, false, true, true, false}},
        {"locality", {Score::kLocality, true, false, false, false}},
        {"variation", {Score::kVariation, false, false, false, false}},
    }};

// Sets a switch of the composed form. False if the value is not true or false.
bool SetSwitch(std::string_view value, bool& to) {
  to = value == "true";
  return to || value == "false";
}

std::optional<MatchPolicy> ParseCustom(std::string_view text) {
  MatchPolicy policy;
  bool high = false;
  bool low = false;
  while (!text.empty()) {
    const std::string_view token = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(token.size() + 1, text.size()));
    if (token.empty()) continue;
    const auto equals = token.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string_view key = token.substr(0, equals);
    const std::string_view value = token.substr(equals + 1);
    bool known = false;
    if (key == "policy") {
      known = value == "high" || value == "low";
      (value == "high" ? high : low) = known;
    } else if (key == "node_centric") {
      known = SetSwitch(value, policy.node_centric);
    } else if (key == "node_exclusive") {
      known = SetSwitch(value, policy.node_exclusive);
    } else if (key == "stop_on_1_matches") {
      known = SetSwitch(value, policy.stop_on_match);
    }
    if (!known) return std::nullopt;
  }
  if (!high && !low) return std::nullopt;
  policy.descending = high;
  return policy;
}

}  // namespace

std::optional<MatchPolicy> MatchPolicy::Parse(std::string_view text) {
  for (const auto& [name, policy] : kMatchPolicyNames) {
    if (name == text) return policy;
  }
  return ParseCustom(text);
}

MatchPolicy MatchPolicy::Of(Policy policy) {
  return Parse(Name(policy)).value_or(MatchPolicy{});
}

}  // namespace fluxnetes::matcher
