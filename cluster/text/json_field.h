// Looking into JSON of which nothing is certain: what is missing or of another
// type is null, empty, or the given default. Never throws.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace fluxnetes::cluster {

const nlohmann::json& At(const nlohmann::json& object, const char* key);
std::string Text(const nlohmann::json& object, const char* key,
                 const char* otherwise = "");
bool Flag(const nlohmann::json& object, const char* key);
// The elements of a list; none if it is no list.
const std::vector<nlohmann::json>& List(const nlohmann::json& value);
// The texts among the elements of a list.
std::vector<std::string> Texts(const nlohmann::json& list);

}  // namespace fluxnetes::cluster
