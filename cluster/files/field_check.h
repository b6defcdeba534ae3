// Checks one value against a field rule (field_rules.h).
// Tests: tests/cluster/files/manifest_test.cc.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/files/field_rules.h"

namespace fluxnetes::cluster {

// Returns the reason why the value breaks the rule, worded to follow the path:
// "is negative; ...". It begins with "[NAME]" or ".NAME" if it concerns a part
// of the value; nothing: the value is valid.
std::optional<std::string> WhyWrong(const nlohmann::json& value,
                                    const FieldRule& rule);

bool IsLabelName(std::string_view text);  // RFC 1123
bool IsSubdomain(std::string_view text);  // RFC 1123
// Kubernetes: "Labels and Selectors", syntax and character set.
bool IsQualifiedName(std::string_view text);
bool IsLabelValue(std::string_view text);

}  // namespace fluxnetes::cluster
