#include "services/queue_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "matcher/policy.h"
#include "services/exit_code.h"
#include "services/settings.h"
#include "workers/schedule.h"

namespace fluxnetes::services {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLongestSelector = 16 << 10;
constexpr int kMostReservations = 100'000;

constexpr QueueSetting kQueueSettings[] = {
    {"node_selector", "labels like zone=a,gpu=yes; alone: all nodes"},
    {"queue_policy", "fcfs, easy, conservative or hybrid"},
    {"match_policy", "first, low, high, lonode or hinode"},
    {"queue_depth", "a whole number from 1"},
    {"reservation_depth",
     "a whole number from 1 to 100000; alone: that of the policy"},
    {"paused", "true or false"},
    {"assumed_duration", "a duration like 30m; alone: none"},
    {"deadline_action", "job, pods or owner"},
    {"bind_timeout", "a duration like 1m"},
    {"replacement_hold", "a duration like 30s, or 0"}};

// Nothing: the value cannot be.
using Parsed = std::optional<Json>;

Parsed OneOf(const std::string& text,
             std::initializer_list<const char*> allowed) {
  for (const char* word : allowed)
    if (text == word) return Json(text);
  return std::nullopt;
}

Parsed Duration(const std::string& text) {
  try {
    return Json(fmt::format("{} milliseconds", ParseDuration(text).count()));
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

Parsed Depth(const std::string& text) {
  int depth = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, depth);
  if (error != std::errc{} || end != last || depth < 1) return std::nullopt;
  return Json(depth);
}

Parsed Selector(const std::string& text) {
  Json selector = Json::object();
  if (text.size() > kLongestSelector) return std::nullopt;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string label = text.substr(at, end - at);
    const std::size_t sign = label.find('=');
    if (sign == std::string::npos || sign == 0) return std::nullopt;
    selector[label.substr(0, sign)] = label.substr(sign + 1);
    at = end + 1;
  }
  return selector;
}

Parsed Parse(std::string_view key, const std::string& text) {
  if (key == "node_selector") return Selector(text);
  if (key == "queue_policy")
    return workers::ParseQueuePolicy(text) ? Parsed(Json(text)) : std::nullopt;
  if (key == "match_policy")
    return matcher::ParsePolicy(text) ? Parsed(Json(text)) : std::nullopt;
  if (key == "queue_depth") return Depth(text);
  if (key == "reservation_depth") {
    const Parsed depth = text.empty() ? Parsed(Json()) : Depth(text);
    return depth && *depth > kMostReservations ? std::nullopt : depth;
  }
  if (key == "paused")
    return text == "true"    ? Parsed(Json(true))
           : text == "false" ? Parsed(Json(false))
                             : std::nullopt;
  if (key == "assumed_duration")
    return text.empty() ? Parsed(Json()) : Duration(text);
  if (key == "deadline_action") return OneOf(text, {"job", "pods", "owner"});
  if (key == "replacement_hold" && text == "0") return Json("0 milliseconds");
  return Duration(text);  // bind_timeout, replacement_hold
}

std::string Keys() {
  std::string text;
  for (const QueueSetting& setting : kQueueSettings)
    text += (text.empty() ? "" : ", ") + std::string(setting.key);
  return text;
}

}  // namespace

std::span<const QueueSetting> QueueSettingNames() { return kQueueSettings; }

std::string ParseQueueSettings(const std::vector<std::string>& settings) {
  Json patch = Json::object();
  for (const std::string& setting : settings) {
    const std::size_t sign = setting.find('=');
    const std::string key = setting.substr(0, sign);
    const auto* known =
        std::find_if(std::begin(kQueueSettings), std::end(kQueueSettings),
                     [&](const QueueSetting& s) { return s.key == key; });
    if (sign == std::string::npos || known == std::end(kQueueSettings))
      throw Failure(
          ExitCode::kUsage,
          fmt::format("'{}' is no setting of a queue", setting),
          fmt::format("Right would be KEY=VALUE with one of {}.", Keys()));
    const std::string text = setting.substr(sign + 1);
    const Parsed value = Parse(key, text);
    if (!value)
      throw Failure(ExitCode::kUsage,
                    fmt::format("{}: '{}' is not allowed", key, text),
                    fmt::format("Right would be {}.", known->right));
    if (patch.contains(key))
      throw Failure(ExitCode::kUsage, fmt::format("{} is there twice", key));
    patch[key] = *value;
  }
  try {
    return patch.dump();
  } catch (const Json::type_error&) {
    throw Failure(ExitCode::kUsage, "a setting is not UTF-8 text");
  }
}

}  // namespace fluxnetes::services
