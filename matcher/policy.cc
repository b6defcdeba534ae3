#include "matcher/policy.h"

#include <array>
#include <utility>

namespace fluxnetes::matcher {
namespace {
constexpr std::array<std::pair<std::string_view, Policy>, 5> kPolicyNames{{
    {"first", Policy::kFirst},
    {"low", Policy::kLow},
    {"high", Policy::kHigh},
    {"lonode", Policy::kLonode},
    {"hinode", Policy::kHinode},
}};
}  // namespace

std::optional<Policy> ParsePolicy(std::string_view name) {
  for (const auto& [known, policy] : kPolicyNames) {
    if (known == name) return policy;
  }
  return std::nullopt;
}

std::string_view Name(Policy policy) {
  for (const auto& [name, known] : kPolicyNames) {
    if (known == policy) return name;
  }
  return "";
}

}  // namespace fluxnetes::matcher
