// Reads text as one JSON value, within the limits of a YAML text. Throws
// InputError for a key that is there twice in one object, and beyond the
// limits.
// Tests: tests/cluster/text/yaml_document_test.cc.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/text/yaml_document.h"

namespace fluxnetes::cluster {

// Returns nothing if the text is no JSON object or list. `source` names the
// text in errors.
std::optional<nlohmann::json> ReadJson(std::string_view text,
                                       const std::string& source,
                                       const YamlLimits& limits);

}  // namespace fluxnetes::cluster
