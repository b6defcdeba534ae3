#include "workers/bind/bind_topology.h"

#include <algorithm>
#include <map>
#include <optional>

#include "workers/pods/topology_labels.h"

namespace fluxnetes::workers {
namespace {

std::optional<std::string> ValueOn(const std::string& node,
                                   const std::string& key,
                                   const cluster::ClusterCache& cache) {
  const cluster::NodePointer known = cache.NodeByName(node);
  if (known == nullptr) return std::nullopt;
  const auto label = known->labels.find(key);
  if (label == known->labels.end()) return std::nullopt;
  return label->second;
}

// Why the nodes do not have a multiple of so many pods in each value.
std::string WhyNotInParts(const cluster::TopologyLevel& level,
                          const std::vector<std::string>& nodes,
                          const cluster::ClusterCache& cache) {
  std::map<std::string, std::int32_t> pods;  // by value
  for (const std::string& node : nodes) {
    const auto value = ValueOn(node, level.key, cache);
    if (!value) return "node " + node + " has no label " + level.key;
    ++pods[*value];
  }
  for (const auto& [value, here] : pods) {
    if (here % level.pods == 0) continue;
    return "there are " + std::to_string(here) + " pods in " + value +
           " by now, no multiple of " + std::to_string(level.pods) +
           ", as one " + DomainCalled(level.key) + " must have";
  }
  return "";
}

std::string WhyTooMany(const cluster::PodsPerNode& per_node,
                       const std::vector<std::string>& nodes,
                       const std::vector<std::string>& there) {
  if (per_node.pods == 0) return "";
  std::map<std::string, std::int32_t> pods;
  for (const auto* each : {&nodes, &there})
    for (const std::string& node : *each) ++pods[node];
  for (const std::string& node : nodes) {
    if (pods[node] > per_node.pods)
      return "node " + node + " would have " + std::to_string(pods[node]) +
             " pods of the group, more than " + std::to_string(per_node.pods);
  }
  return "";
}

}  // namespace

std::string WhyNotPlaced(const cluster::GroupTopology& topology,
                         const NodesOfPods& all, const NodesOfPods& counted,
                         const cluster::ClusterCache& cache) {
  std::string why = WhyTooMany(topology.per_node, counted.nodes, counted.there);
  if (why.empty() && !topology.required.empty())
    why = WhyNotTogether(topology.required, all.nodes, all.there, cache);
  if (!all.there.empty()) return why;
  for (const cluster::TopologyLevel& level : topology.required_parts) {
    if (why.empty()) why = WhyNotInParts(level, counted.nodes, cache);
  }
  return why;
}

std::string WhyNotAlone(const std::string& node,
                        const cluster::SchedulerNames& schedulers,
                        const cluster::ClusterCache& cache) {
  for (const cluster::PodPointer& pod : cache.PodsOnNode(node)) {
    if (cluster::BelongsToItsNode(*pod) ||
        schedulers.Contain(pod->scheduler_name))
      continue;
    return "node " + node + " got pod " + pod->namespace_name + "/" +
           pod->name + " meanwhile, and the group must have it for itself";
  }
  return "";
}

std::string WhyNotTogether(const std::string& key,
                           const std::vector<std::string>& nodes,
                           const std::vector<std::string>& there,
                           const cluster::ClusterCache& cache) {
  if (nodes.empty()) return "";
  const auto value = ValueOn(nodes.front(), key, cache);
  for (const std::string& node : nodes) {
    const auto here = ValueOn(node, key, cache);
    if (!here) return "node " + node + " has no label " + key;
    if (here != value)
      return "nodes " + nodes.front() + " and " + node +
             " are no longer of the same " + DomainCalled(key);
  }
  const bool beside =
      there.empty() || std::ranges::any_of(there, [&](const std::string& node) {
        return ValueOn(node, key, cache) == value;
      });
  if (beside) return "";
  return "node " + nodes.front() + " is not of the " + DomainCalled(key) +
         " of the group's other pods";
}

}  // namespace fluxnetes::workers
