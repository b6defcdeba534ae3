#include "services/simulate/simulation_queues.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "services/console/exit_code.h"
#include "services/editing/queue_settings.h"
#include "workers/pools/pool_labels.h"

namespace fluxnetes::services {
namespace {

using workers::QueueSettings;

// Parses "1800000 milliseconds", as ParseQueueSettings() writes it, and rounds
// up to seconds.
std::int64_t SecondsOf(const std::string& text) {
  std::int64_t milliseconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), milliseconds);
  return (milliseconds + 999) / 1'000;
}

}  // namespace

void ApplyQueuePatch(const std::string& text, QueueSettings& queue) {
  const nlohmann::json patch = nlohmann::json::parse(text);
  if (patch.contains("node_selector"))
    queue.node_selector =
        patch["node_selector"].get<std::map<std::string, std::string>>();
  if (patch.contains("queue_policy"))
    queue.queue_policy =
        workers::ParseQueuePolicy(patch["queue_policy"].get<std::string>())
            .value();
  if (patch.contains("queue_order"))
    queue.queue_order =
        workers::ParseQueueOrder(patch["queue_order"].get<std::string>())
            .value();
  if (patch.contains("ageing")) queue.ageing = patch["ageing"].get<double>();
  if (patch.contains("half_life"))
    queue.half_life = SecondsOf(patch["half_life"].get<std::string>());
  if (patch.contains("preemption"))
    queue.preemption =
        workers::ParsePreemption(patch["preemption"].get<std::string>())
            .value();
  if (patch.contains("match_policy"))
    queue.match_policy =
        matcher::ParsePolicy(patch["match_policy"].get<std::string>()).value();
  if (patch.contains("queue_depth"))
    queue.queue_depth = patch["queue_depth"].get<int>();
  if (patch.contains("reservation_depth")) {
    const nlohmann::json& depth = patch["reservation_depth"];
    queue.reservation_depth.reset();
    if (depth.is_number()) queue.reservation_depth = depth.get<int>();
  }
  if (patch.contains("exclusive"))
    queue.whole_nodes = patch["exclusive"].get<bool>();
  if (patch.contains("topology"))
    queue.topology = patch["topology"].get<std::vector<std::string>>();
  if (patch.contains("paused")) queue.paused = patch["paused"].get<bool>();
  if (!patch.contains("assumed_duration")) return;
  const nlohmann::json& assumed = patch["assumed_duration"];
  queue.assumed_duration.reset();
  if (assumed.is_string())
    queue.assumed_duration = SecondsOf(assumed.get<std::string>());
}

void ChangeQueues(const SimulateOptions& options,
                  std::vector<QueueSettings>& queues) {
  for (const std::string& text : options.queues) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos || colon == 0)
      throw Failure(ExitCode::kUsage,
                    fmt::format("--queue: '{}' is not allowed", text),
                    "Right would be QUEUE:KEY=VALUE, or QUEUE: alone.");
    const std::string name = text.substr(0, colon);
    auto queue = std::ranges::find(queues, name, &QueueSettings::name);
    if (queue == queues.end()) {
      queues.push_back({.name = name});
      queue = queues.end() - 1;
    }
    if (colon + 1 < text.size())
      ApplyQueuePatch(ParseQueueSettings({text.substr(colon + 1)}), *queue);
  }
  if (options.policy.empty()) return;
  for (QueueSettings& queue : queues)
    ApplyQueuePatch(ParseQueueSettings({"queue_policy=" + options.policy}),
                    queue);
}

void ChangePools(const SimulateOptions& options,
                 std::vector<workers::Pool>& pools) {
  for (const std::string& text : options.pools) {
    const std::size_t equal = std::min(text.find('='), text.size());
    const std::string name = text.substr(0, equal);
    std::int64_t total = -1;
    const char* const end = text.data() + text.size();
    const auto [last, error] =
        std::from_chars(std::min(text.data() + equal + 1, end), end, total);
    if (name.empty() || error != std::errc() || last != end || total < 0 ||
        total > workers::kMostOfPool)
      throw Failure(ExitCode::kUsage,
                    fmt::format("--pool: '{}' is not allowed", text),
                    "Right would be POOL=TOTAL, such as matlab=10.");
    const auto pool = std::ranges::find(pools, name, &workers::Pool::name);
    if (pool == pools.end()) {
      pools.push_back({name, total});
    } else {
      pool->total = total;
    }
  }
}

}  // namespace fluxnetes::services
