#include "matcher/policy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace fluxnetes::matcher {
namespace {

constexpr std::array<std::pair<std::string_view, Policy>, 10> kPolicyNames{{
    {"first", Policy::kFirst},
    {"firstnodex", Policy::kFirstnodex},
    {"high", Policy::kHigh},
    {"low", Policy::kLow},
    {"hinode", Policy::kHinode},
    {"lonode", Policy::kLonode},
    {"hinodex", Policy::kHinodex},
    {"lonodex", Policy::kLonodex},
    {"locality", Policy::kLocality},
    {"variation", Policy::kVariation},
}};

constexpr std::array<std::pair<std::string_view, bool Policy::*>, 3> kSwitches{{
    {"node_centric", &Policy::node_centric},
    {"node_exclusive", &Policy::node_exclusive},
    {"stop_on_1_matches", &Policy::stop_on_match},
}};

// Sets a switch of the composed form. False if there is no such switch, or the
// value is not true or false.
bool SetSwitch(std::string_view key, std::string_view value, Policy& policy) {
  for (const auto& [name, member] : kSwitches) {
    if (name != key) continue;
    policy.*member = value == "true";
    return value == "true" || value == "false";
  }
  return false;
}

std::optional<Policy> ParseComposed(std::string_view text) {
  Policy policy;
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
    if (key != "policy") {
      if (!SetSwitch(key, value, policy)) return std::nullopt;
      continue;
    }
    if (value != "high" && value != "low") return std::nullopt;
    (value == "high" ? high : low) = true;
  }
  if (!high && !low) return std::nullopt;
  policy.descending = high;
  return policy;
}

}  // namespace

std::optional<Policy> ParsePolicy(std::string_view text) {
  for (const auto& [name, policy] : kPolicyNames) {
    if (name == text) return policy;
  }
  return ParseComposed(text);
}

std::string Name(const Policy& policy) {
  for (const auto& [name, known] : kPolicyNames) {
    if (known == policy) return std::string(name);
  }
  std::string text = policy.descending ? "policy=high" : "policy=low";
  for (const auto& [name, member] : kSwitches) {
    if (policy.*member) text.append(" ").append(name).append("=true");
  }
  return text;
}

std::optional<std::int64_t> ParseClass(std::string_view text) {
  std::int64_t value = 0;
  const auto [at, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && at == text.data() + text.size();
  if (!whole || value < 0 || value > kWorstClass) return std::nullopt;
  return value;
}

}  // namespace fluxnetes::matcher
