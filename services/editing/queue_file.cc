#include "services/editing/queue_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "cluster/text/yaml_document.h"
#include "services/console/exit_code.h"
#include "services/editing/queue_settings.h"

namespace fluxnetes::services {
namespace {

using QueueJson = nlohmann::json;

constexpr auto kRightQueues =
    "Right would be names of queues with settings below them, like "
    "\"default: {queue_policy: easy}\".";

std::optional<std::string> TypedList(const QueueJson& values) {
  std::string list;
  for (const QueueJson& value : values) {
    if (!value.is_string()) return std::nullopt;
    list += (list.empty() ? "" : ",") + value.get<std::string>();
  }
  return list;
}

// Returns the value as typed after KEY=; nullopt: the value is invalid.
std::optional<std::string> TypedText(const QueueJson& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null()) return "";
  if (value.is_number() || value.is_boolean()) return value.dump();
  if (value.is_array()) return TypedList(value);
  if (!value.is_object()) return std::nullopt;
  std::string pairs;
  for (const auto& [label, wanted] : value.items()) {
    if (!wanted.is_string()) return std::nullopt;
    pairs += fmt::format("{}{}={}", pairs.empty() ? "" : ",", label,
                         wanted.get<std::string>());
  }
  return pairs;
}

std::vector<std::string> TypedSettings(const QueueJson& settings) {
  std::vector<std::string> typed;
  if (settings.is_null()) return typed;
  if (!settings.is_object())
    throw Failure(ExitCode::kUsage, "has no settings below it", kRightQueues);
  for (const auto& [key, value] : settings.items()) {
    const auto text = TypedText(value);
    if (!text)
      throw Failure(ExitCode::kUsage,
                    fmt::format("{}: '{}' is not allowed", key, value.dump()),
                    "Right would be one value, a list, or labels with texts.");
    typed.push_back(fmt::format("{}={}", key, *text));
  }
  return typed;
}

}  // namespace

std::vector<QueueFileEntry> ParseQueueFile(std::string_view text,
                                           const std::string& source) {
  QueueJson queues = QueueJson::object();
  try {
    cluster::ReadYaml(
        text, source,
        [&](const QueueJson& document, int) {
          if (!document.is_object() || !queues.empty())
            throw Failure(ExitCode::kUsage,
                          source + ": is not one map of queues", kRightQueues);
          queues = document;
        },
        {}, cluster::YamlTypes::kCore);
  } catch (const cluster::InputError& error) {
    throw Failure(ExitCode::kUsage, error.what(), kRightQueues);
  }
  std::vector<QueueFileEntry> entries;
  for (const auto& [name, settings] : queues.items()) {
    try {
      entries.push_back({name, ParseQueueSettings(TypedSettings(settings))});
    } catch (const Failure& failure) {
      throw Failure(failure.code(),
                    fmt::format("{}: {}: {}", source, name, failure.what()),
                    failure.next());
    }
  }
  return entries;
}

}  // namespace fluxnetes::services
