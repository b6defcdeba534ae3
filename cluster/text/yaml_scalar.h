// Types a plain YAML scalar by the core schema (YAML 1.2, section 10.3.2). JSON
// has no infinity and no "not a number"; they stay strings.
// Tests: tests/cluster/text/yaml_document_test.cc.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace fluxnetes::cluster {

nlohmann::json PlainScalar(const std::string& text);

}  // namespace fluxnetes::cluster
