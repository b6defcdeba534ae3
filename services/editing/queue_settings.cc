#include "services/editing/queue_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "cluster/files/field_check.h"
#include "matcher/policy.h"
#include "services/config/setting_values.h"
#include "services/editing/row_settings.h"
#include "workers/pods/topology_labels.h"
#include "workers/schedule/schedule.h"

namespace fluxnetes::services {
namespace {

using Json = nlohmann::json;

constexpr int kMostReservations = 100'000;
constexpr double kMostAgeing = 1'000'000;
constexpr std::chrono::hours kLongestAssumed(24 * 366);
constexpr std::chrono::hours kLongestHalfLife(24 * 10'000);

constexpr RowSetting kQueueSettings[] = {
    {"node_selector",
     "labels like zone=a,gpu=yes, each once; alone: all nodes"},
    {"queue_policy", "fcfs, easy, conservative or hybrid"},
    {"queue_order", "arrival, shortest or fair_share"},
    {"ageing", "a number from 0 to 1000000"},
    {"half_life", "a duration from 1m to 10000d, like 12h or 7d"},
    {"preemption", "never, lower_priority, reclaim or both"},
    {"exclusive", "true or false"},
    {"topology",
     "labels of nodes, the outermost first, like "
     "example.com/block,topology.kubernetes.io/rack; the parts behind the "
     "slashes must differ; alone: none"},
    {"match_policy",
     "first, firstnodex, low, high, lonode, hinode, lonodex, hinodex, "
     "locality or variation; or composed, like 'policy=low "
     "node_centric=true node_exclusive=true stop_on_1_matches=true'"},
    {"queue_depth", "a whole number from 1 to 2147483647"},
    {"reservation_depth",
     "a whole number from 1 to 100000; alone: that of the policy"},
    {"paused", "true or false"},
    {"assumed_duration",
     "a duration from 1s to 366d, like 30m, 12h or 3d; alone: none"},
    {"deadline_action", "job, pods or owner"},
    {"bind_timeout", "a duration up to 24h, like 1m"},
    {"replacement_hold", "a duration up to 24h, like 30s, or 0"}};

// nullopt: the value is invalid.
using Parsed = std::optional<Json>;

Parsed OneOf(const std::string& text,
             std::initializer_list<const char*> allowed) {
  for (const char* word : allowed)
    if (text == word) return Json(text);
  return std::nullopt;
}

std::optional<int> WholeNumberIn(const std::string& text) {
  int number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc{} || end != last) return std::nullopt;
  return number;
}

Json Interval(std::int64_t milliseconds) {
  return fmt::format("{} milliseconds", milliseconds);
}

Parsed DurationFrom(std::chrono::milliseconds shortest, const std::string& text,
                    std::chrono::milliseconds longest) {
  try {
    const auto duration = ParseDuration(text, longest);
    return duration < shortest ? std::nullopt
                               : Parsed(Interval(duration.count()));
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

Parsed Duration(const std::string& text) {
  return DurationFrom(std::chrono::milliseconds(1), text,
                      std::chrono::hours(24));
}

Parsed NodeSelector(const std::string& text) {
  Parsed labels = ParsePairs(text);
  if (!labels) return std::nullopt;
  for (const auto& [key, value] : labels->items()) {
    if (!cluster::IsQualifiedName(key) ||
        !cluster::IsLabelValue(value.get<std::string>()))
      return std::nullopt;
  }
  return labels;
}

// Pods name a level by what is behind the slash.
Parsed Topology(const std::string& text) {
  Json keys = Json::array();
  std::set<std::string, std::less<>> words;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const std::string key = text.substr(from, comma - from);
    if (!cluster::IsQualifiedName(key) ||
        !words.emplace(workers::WordOf(key)).second)
      return std::nullopt;
    keys.push_back(key);
    from = comma + 1;
    if (from == text.size()) return std::nullopt;  // ends in a comma
  }
  return keys;
}

// A composed policy is kept in its shortest form.
Parsed MatchPolicy(const std::string& text) {
  const auto policy = matcher::ParsePolicy(text);
  return policy ? Parsed(Json(matcher::Name(*policy))) : std::nullopt;
}

Parsed Ageing(const std::string& text) {
  const Parsed ageing = ParseNumber(text);
  return ageing && *ageing >= 0 && *ageing <= kMostAgeing ? ageing
                                                          : std::nullopt;
}

Parsed Depth(const std::string& text) {
  const auto depth = WholeNumberIn(text);
  return depth.value_or(0) < 1 ? std::nullopt : Parsed(Json(*depth));
}

Parsed Parse(std::string_view key, const std::string& text) {
  if (key == "node_selector") return NodeSelector(text);
  if (key == "queue_policy")
    return workers::ParseQueuePolicy(text) ? Parsed(Json(text)) : std::nullopt;
  if (key == "queue_order")
    return workers::ParseQueueOrder(text) ? Parsed(Json(text)) : std::nullopt;
  if (key == "ageing") return Ageing(text);
  if (key == "half_life")
    return DurationFrom(std::chrono::minutes(1), text, kLongestHalfLife);
  if (key == "preemption")
    return workers::ParsePreemption(text) ? Parsed(Json(text)) : std::nullopt;
  if (key == "match_policy") return MatchPolicy(text);
  if (key == "topology") return Topology(text);
  if (key == "queue_depth") return Depth(text);
  if (key == "reservation_depth") {
    const Parsed depth = text.empty() ? Parsed(Json()) : Depth(text);
    return depth && *depth > kMostReservations ? std::nullopt : depth;
  }
  if (key == "paused" || key == "exclusive") return ParseSwitch(text);
  if (key == "assumed_duration")
    return text.empty()
               ? Parsed(Json())
               : DurationFrom(std::chrono::seconds(1), text, kLongestAssumed);
  if (key == "deadline_action") return OneOf(text, {"job", "pods", "owner"});
  if (key == "replacement_hold" && text == "0") return Interval(0);
  return Duration(text);  // bind_timeout, replacement_hold
}

}  // namespace

std::string ParseQueueSettings(const std::vector<std::string>& settings) {
  return ParseRowSettings({"a queue", kQueueSettings, Parse}, settings);
}

}  // namespace fluxnetes::services
