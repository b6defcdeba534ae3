#include "cluster/files/field_rules.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "cluster/files/field_check.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;
using Complaint = std::optional<std::string>;

const char* KindOf(const Json& value) {
  if (value.is_object()) return "a mapping";
  if (value.is_array()) return "a list";
  return "a plain value";
}

// Takes the first name off a pattern: "a[].b" gives "a", "[]", "b".
std::string_view TakeName(std::string_view& pattern) {
  if (pattern.starts_with("[]")) {
    pattern.remove_prefix(pattern.size() > 2 && pattern[2] == '.' ? 3 : 2);
    return "[]";
  }
  const auto end = pattern.find_first_of(".[");
  const std::string_view name = pattern.substr(0, end);
  pattern.remove_prefix(name.size());
  if (pattern.starts_with('.')) pattern.remove_prefix(1);
  return name;
}

// Checks the fields that the pattern names within the value. Recurses as deep
// as the pattern, not as the value.
Complaint Follow(const Json& value, std::string_view pattern,
                 const FieldRule& rule, const std::string& path) {
  if (pattern.empty()) {
    if (auto why = WhyWrong(value, rule)) return path + *why;
    return std::nullopt;
  }
  const std::string_view name = TakeName(pattern);
  if (name == "[]") {
    if (!value.is_array()) {
      return path + " is " + KindOf(value) + "; it must be a list";
    }
    for (std::size_t i = 0; i < value.size(); ++i) {
      auto complaint =
          Follow(value[i], pattern, rule, path + "[" + std::to_string(i) + "]");
      if (complaint) return complaint;
    }
    return std::nullopt;
  }
  if (!value.is_object()) {
    return path + " is " + KindOf(value) + "; it must be a mapping";
  }
  const std::string next = path + (path.empty() ? "" : ".") + std::string(name);
  const auto member = value.find(name);
  if (member == value.end() || member->is_null()) {
    if (pattern.empty() && rule.required) return next + " is missing";
    return std::nullopt;
  }
  return Follow(*member, pattern, rule, next);
}

}  // namespace

std::optional<std::string> WhatIsWrong(const Json& object,
                                       std::span<const FieldRule> rules,
                                       const std::string& prefix) {
  for (const FieldRule& rule : rules) {
    if (auto complaint = Follow(object, rule.path, rule, prefix)) {
      return complaint;
    }
  }
  return std::nullopt;
}

}  // namespace fluxnetes::cluster
