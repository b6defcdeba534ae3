// Validation rules for the fields of an object, as a table of paths and
// expected values. "spec.containers[].name" names the field in every element of
// a list. An absent or null field is valid unless it is required. Fields
// without a rule are not checked.
// Tests: tests/cluster/files/manifest_test.cc,
// tests/cluster/files/node_file_test.cc.
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
    kNonEmptyText,
    kTexts,        // a list of strings
    kAnnotations,  // qualified names with strings
    kFlag,
    kInteger,        // of 32 bits
    kCount,          // 0 or more
    kPositive,       // 1 or more
    kUpTo100000,     // 0 to 100,000
    kPort,           // 1 to 65,535
    kHostPort,       // 0 to 65,535
    kLabel,          // RFC 1123: at most 63 of a-z 0-9 -
    kSubdomain,      // labels with dots, at most 253
    kLabels,         // qualified names with values of at most 63 characters
    kQualifiedName,  // the name of one label, or a name of that form
    kLabelValue,     // the value of one label
    kQuantities,     // amounts by resource name
    kQuantity,       // one amount
    kChoice          // one of `choices`
  };
  const char* path;
  Kind kind;
  bool required = false;
  const char* choices = "";  // separated by spaces
};

// Returns the first fault with its path and the value expected there; nothing
// if all fields are valid. `prefix` is prepended to the paths.
std::optional<std::string> WhatIsWrong(const nlohmann::json& object,
                                       std::span<const FieldRule> rules,
                                       const std::string& prefix = "");

}  // namespace fluxnetes::cluster
