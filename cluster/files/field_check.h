// Whether one value is what a field wants (see field_rules.h).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/files/field_rules.h"

namespace fluxnetes::cluster {

// Why not, to be read after the path: "is negative; ...". It begins with
// "[NAME]" or ".NAME" where it is about a part of the value.
std::optional<std::string> WhyWrong(const nlohmann::json& value,
                                    const FieldRule& rule);

bool IsLabelName(std::string_view text);  // RFC 1123
bool IsSubdomain(std::string_view text);  // RFC 1123
// Kubernetes: "Labels and Selectors", syntax and character set.
bool IsQualifiedName(std::string_view text);
bool IsLabelValue(std::string_view text);

}  // namespace fluxnetes::cluster
