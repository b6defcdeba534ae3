#include "cluster/text/json_field.h"

#include <nlohmann/json.hpp>

namespace fluxnetes::cluster {

using Json = nlohmann::json;

const Json& At(const Json& object, const char* key) {
  static const Json kNothing;
  if (!object.is_object()) return kNothing;
  const auto member = object.find(key);
  return member == object.end() ? kNothing : *member;
}

std::string Text(const Json& object, const char* key, const char* otherwise) {
  const Json& value = At(object, key);
  return value.is_string() ? value.get<std::string>() : otherwise;
}

bool Flag(const Json& object, const char* key) {
  const Json& value = At(object, key);
  return value.is_boolean() && value.get<bool>();
}

const std::vector<Json>& List(const Json& value) {
  static const std::vector<Json> kNone;
  return value.is_array() ? value.get_ref<const Json::array_t&>() : kNone;
}

std::vector<std::string> Texts(const Json& list) {
  std::vector<std::string> texts;
  for (const Json& value : List(list)) {
    if (value.is_string()) texts.push_back(value.get<std::string>());
  }
  return texts;
}

}  // namespace fluxnetes::cluster
