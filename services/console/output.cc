#include "services/console/output.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <nlohmann/json.hpp>

namespace fluxnetes::services {
namespace {

using OrderedJson = nlohmann::ordered_json;

// True if YAML might read the unquoted text as something other than a string.
bool NeedsQuotes(const std::string& text) {
  static constexpr std::array kWords = {"true", "false", "yes", "no", "on",
                                        "off",  "null",  "y",   "n"};
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  const auto inner = [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') ||
           std::string_view("-_./").find(c) != std::string_view::npos;
  };
  if (text.empty() || !letter(text[0]) ||
      !std::all_of(text.begin(), text.end(), inner))
    return true;
  std::string lower = text;
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return std::find(kWords.begin(), kWords.end(), lower) != kWords.end();
}

// The recursion is as deep as the document, which is one of ours.
void Emit(YAML::Emitter& out, const OrderedJson& value) {
  if (value.is_object()) {
    out << YAML::BeginMap;
    for (const auto& [key, part] : value.items()) {
      out << YAML::Key << key << YAML::Value;
      Emit(out, part);
    }
    out << YAML::EndMap;
  } else if (value.is_array()) {
    if (value.empty()) out << YAML::Flow;
    out << YAML::BeginSeq;
    for (const OrderedJson& part : value) Emit(out, part);
    out << YAML::EndSeq;
  } else if (value.is_null()) {
    out << YAML::Null;
  } else if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (NeedsQuotes(text)) out << YAML::DoubleQuoted;
    out << text;
  } else {
    out << value.dump();
  }
}

}  // namespace

OrderedJson ListOf(const char* kind, OrderedJson items) {
  return {{"kind", kind}, {"items", std::move(items)}};
}

std::string Write(const OrderedJson& document, OutputFormat format) {
  if (format == OutputFormat::kJson)
    return document.dump(2, ' ', false, OrderedJson::error_handler_t::replace) +
           "\n";
  assert(format == OutputFormat::kYaml);
  YAML::Emitter out;
  Emit(out, document);
  return std::string(out.c_str()) + "\n";
}

}  // namespace fluxnetes::services
