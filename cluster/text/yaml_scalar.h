// The type of a plain scalar of YAML by the core schema (YAML 1.2, section
// 10.3.2). Infinity and "not a number" have no JSON and stay text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace fluxnetes::cluster {

nlohmann::json PlainScalar(const std::string& text);

}  // namespace fluxnetes::cluster
