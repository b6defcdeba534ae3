// Lookup in untrusted JSON: a missing value, or one of another type, is null,
// empty, or the given default. Never throws.
// Tests: tests/cluster/json/request_decoder_test.cc,
// tests/cluster/json/optional_objects_test.cc.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace fluxnetes::cluster {

const nlohmann::json& At(const nlohmann::json& object, const char* key);
std::string Text(const nlohmann::json& object, const char* key,
                 const char* otherwise = "");
bool Flag(const nlohmann::json& object, const char* key);
// The elements of a list; none if the value is not a list.
const std::vector<nlohmann::json>& List(const nlohmann::json& value);
// The strings among the elements of a list.
std::vector<std::string> Texts(const nlohmann::json& list);

}  // namespace fluxnetes::cluster
