// Types a plain YAML scalar, as JSON.
// Tests: tests/cluster/text/yaml_scalar_test.cc.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace fluxnetes::cluster {

// By the core schema (YAML 1.2, section 10.3.2). JSON has no infinity and no
// "not a number"; they stay strings.
nlohmann::json CoreScalar(const std::string& text);

// As kubectl and API servers type it (sigs.k8s.io/yaml on go-yaml 2), which is
// mostly YAML 1.1: 0400, 0o400, 0b11 and 1_000 are integers; y, yes, on and
// their opposites are booleans; 1.0 and 1e3 are written as integers. Dates and
// base 60 (12:30) stay strings. An infinity and "not a number" are numbers
// here, which JSON cannot write.
nlohmann::json KubernetesScalar(const std::string& text);

}  // namespace fluxnetes::cluster
