#include "services/output.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <nlohmann/json.hpp>

#include "services/moment.h"

namespace fluxnetes::services {
namespace {

using OrderedJson = nlohmann::ordered_json;

template <typename T>
OrderedJson OrNull(const std::optional<T>& value) {
  if constexpr (std::is_same_v<T, sql::Timestamp>)
    return value ? OrderedJson(Rfc3339(*value)) : OrderedJson();
  else
    return value ? OrderedJson(*value) : OrderedJson();
}

// Whether YAML might read the text as something else if it were not quoted.
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

// As deep as our own documents are.
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

bool IsFilling(const GroupRow& g) {
  return g.state == "provisional" || g.state == "refused";
}

}  // namespace

OrderedJson ToJson(const GroupRow& g) {
  return {{"namespace", g.namespace_name},
          {"name", g.name},
          {"id", g.id > 0 ? OrderedJson(g.id) : OrderedJson()},
          {"state", g.state},
          {"phase", OrNull(g.phase)},
          {"result", OrNull(g.result)},
          {"reason", OrNull(g.reason)},
          {"size", g.size > 0 ? OrderedJson(g.size) : OrderedJson()},
          {"arrived", IsFilling(g) ? g.arrived : g.size},
          {"pods",
           {{"waiting", g.waiting},
            {"bound", g.bound},
            {"succeeded", g.succeeded},
            {"failed", g.failed}}},
          {"gang", OrNull(g.gang)},
          {"elastic", g.max_size ? OrderedJson{{"min", g.size},
                                               {"max", *g.max_size},
                                               {"running", g.bound + g.grown}}
                                 : OrderedJson()},
          {"queue", g.queue},
          {"priority", OrNull(g.priority)},
          {"position", OrNull(g.position)},
          {"estimatedStart", OrNull(g.estimated_start)},
          {"estimate", OrNull(g.estimate)},
          {"estimateRestsOn", OrNull(g.rests_on)},
          {"reservation", OrNull(g.reservation)},
          {"reservedNodes", g.reserved_nodes},
          {"nodes", g.nodes},
          {"revision", OrNull(g.revision)},
          {"durationSeconds", OrNull(g.duration_seconds)},
          {"deadline", OrNull(g.deadline)},
          {"startAfter", OrNull(g.start_after)},
          {"startBy", OrNull(g.start_by)},
          {"submittedAt", Rfc3339(g.submitted_at)},
          {"promotedAt", OrNull(g.promoted_at)},
          {"allocatedAt", OrNull(g.allocated_at)},
          {"boundAt", OrNull(g.bound_at)},
          {"endedAt", OrNull(g.ended_at)}};
}

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
