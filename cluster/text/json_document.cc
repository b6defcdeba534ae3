#include "cluster/text/json_document.h"

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "cluster/text/quote.h"

namespace fluxnetes::cluster {

using Json = nlohmann::json;

std::optional<Json> ReadJson(std::string_view text, const std::string& source,
                             const YamlLimits& limits) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos ||
      (text[first] != '{' && text[first] != '[')) {
    return std::nullopt;
  }
  std::size_t values = 0;
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  const auto check = [&](int depth, Json::parse_event_t event, Json& value) {
    using Event = Json::parse_event_t;
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key && !keys.back().insert(value).second) {
      throw InputError(source + ": the key " +
                       Quote(value.get_ref<const std::string&>()) +
                       " is there twice in one object; leave one out");
    }
    const bool opens = event == Json::parse_event_t::object_start ||
                       event == Json::parse_event_t::array_start;
    if (opens && depth >= limits.depth) {
      throw InputError(source + ": nested deeper than " +
                       std::to_string(limits.depth) + " levels");
    }
    values += opens || event == Json::parse_event_t::value ? 1 : 0;
    if (values > limits.values) {
      throw InputError(source + ": more than " + std::to_string(limits.values) +
                       " values; split the text");
    }
    return true;
  };
  try {
    return Json::parse(text, check);
  } catch (const Json::exception&) {  // YAML that looks like JSON at first
    return std::nullopt;
  }
}

}  // namespace fluxnetes::cluster
