#include "workers/decision/queue_settings.h"

#include <algorithm>
#include <iterator>

namespace fluxnetes::workers {
namespace {

constexpr std::string_view kPolicyNames[] = {"fcfs", "easy", "conservative",
                                             "hybrid"};

constexpr std::string_view kOrderNames[] = {"arrival", "shortest",
                                            "fair_share"};

constexpr std::string_view kPreemptionNames[] = {"never", "lower_priority",
                                                 "reclaim", "both"};

}  // namespace

Sharing SharingOf(const cluster::GroupTopology& topology,
                  const QueueSettings& queue) {
  const bool whole = topology.whole_nodes || queue.whole_nodes ||
                     queue.match_policy.node_exclusive;
  return {!topology.aside && whole, topology.aside};
}

std::string_view ToString(QueuePolicy policy) {
  return kPolicyNames[static_cast<std::size_t>(policy)];
}

std::optional<QueuePolicy> ParseQueuePolicy(std::string_view name) {
  const auto found =
      std::find(std::begin(kPolicyNames), std::end(kPolicyNames), name);
  if (found == std::end(kPolicyNames)) return std::nullopt;
  return static_cast<QueuePolicy>(found - std::begin(kPolicyNames));
}

std::string_view ToString(QueueOrder order) {
  return kOrderNames[static_cast<std::size_t>(order)];
}

std::optional<QueueOrder> ParseQueueOrder(std::string_view name) {
  const auto found =
      std::find(std::begin(kOrderNames), std::end(kOrderNames), name);
  if (found == std::end(kOrderNames)) return std::nullopt;
  return static_cast<QueueOrder>(found - std::begin(kOrderNames));
}

std::string_view ToString(Preemption preemption) {
  return kPreemptionNames[static_cast<std::size_t>(preemption)];
}

std::optional<Preemption> ParsePreemption(std::string_view name) {
  const auto found =
      std::find(std::begin(kPreemptionNames), std::end(kPreemptionNames), name);
  if (found == std::end(kPreemptionNames)) return std::nullopt;
  return static_cast<Preemption>(found - std::begin(kPreemptionNames));
}

}  // namespace fluxnetes::workers
