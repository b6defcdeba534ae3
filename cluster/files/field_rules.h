// What the fields of an object must be, as a table: a path and what is right
// there. "spec.containers[].name" names the field in every element of a list.
// What is absent (or null) is right unless it is required. Fields without a
// rule are not looked at.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

namespace fluxnetes::cluster {

struct FieldRule {
  enum class Kind {
    kObject,
    kList,
    kNonEmptyList,
    kText,
    kTexts,    // a list of texts
    kTextMap,  // annotations
    kFlag,
    kInteger,     // of 32 bits
    kCount,       // 0 or more
    kPositive,    // 1 or more
    kUpTo100000,  // 0 to 100,000
    kLabel,       // RFC 1123: at most 63 of a-z 0-9 -
    kSubdomain,   // labels with dots, at most 253
    kLabels,      // qualified names with values of at most 63 characters
    kLabelValue,  // of one label
    kQuantities,  // amounts by name of the resource
    kQuantity,    // one amount
    kChoice       // one of `choices`
  };
  const char* path;
  Kind kind;
  bool required = false;
  const char* choices = "";  // with spaces between them
};

// The first that is wrong, with its path, and what would be right; nothing if
// all is right. `prefix` goes before the paths.
std::optional<std::string> WhatIsWrong(const nlohmann::json& object,
                                       std::span<const FieldRule> rules,
                                       const std::string& prefix = "");

}  // namespace fluxnetes::cluster
