#include "workers/bind/bind_topology.h"

#include <algorithm>
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

}  // namespace

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
