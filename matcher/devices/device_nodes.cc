#include "matcher/devices/device_nodes.h"

#include <algorithm>
#include <utility>

#include "matcher/rules/node_fields.h"

namespace fluxnetes::matcher {
namespace {

bool HoldsOn(const LabelRequirement& requirement, const std::string& node,
             const Labels& labels) {
  if (requirement.field) {
    std::string room;
    return Holds(requirement, FieldOf(requirement.key, node, room));
  }
  const auto label = labels.find(requirement.key);
  return Holds(requirement, label == labels.end() ? nullptr : &label->second);
}

}  // namespace

bool Includes(const DeviceNodes& nodes, const std::string& node,
              const Labels& labels) {
  if (!nodes.node.empty()) return nodes.node == node;
  if (nodes.all) return true;
  return std::ranges::any_of(nodes.terms, [&](const LabelTerm& term) {
    return !term.empty() &&
           std::ranges::all_of(term, [&](const LabelRequirement& requirement) {
             return HoldsOn(requirement, node, labels);
           });
  });
}

DeviceNodes NodesOf(std::string_view claim,
                    std::span<const AllocatedDevice> devices,
                    const std::string& node) {
  LabelTerm joined;
  for (const AllocatedDevice& device : devices) {
    if (device.claim != claim) continue;
    if (!device.nodes || !device.nodes->node.empty()) return {.node = node};
    // Kubernetes allows one term for each slice or device.
    if (device.nodes->terms.empty()) continue;
    for (const LabelRequirement& each : device.nodes->terms.front()) {
      if (std::ranges::find(joined, each) == joined.end()) {
        joined.push_back(each);
      }
    }
  }
  DeviceNodes nodes;
  nodes.all = joined.empty();
  if (!joined.empty()) nodes.terms.push_back(std::move(joined));
  return nodes;
}

}  // namespace fluxnetes::matcher
