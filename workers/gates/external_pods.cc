#include "workers/gates/external_pods.h"

#include <set>

#include "workers/pods/group_labels.h"

namespace fluxnetes::workers {

void ExternalPods::Put(const PendingGroup& group) {
  Remove(group.id);
  if (group.external)
    groups_[group.id].name = {group.namespace_name, group.name};
}

void ExternalPods::Put(const Held& held) {
  Remove(held.group);
  if (!held.external) return;
  groups_[held.group].name = {held.namespace_name, held.name};
  Placed placed;
  placed.group = held.group;
  placed.members = held.members;
  Place(placed);
}

bool ExternalPods::Place(const Placed& placed) {
  const auto group = groups_.find(placed.group);
  if (group == groups_.end()) return false;
  group->second.members = placed.members;
  std::set<std::string> nodes;
  for (const PlacedMember& member : placed.members) nodes.insert(member.node);
  for (const std::string& node : nodes) on_node_.emplace(node, placed.group);
  return true;
}

bool ExternalPods::Remove(GroupId group) {
  if (groups_.erase(group) == 0) return false;
  std::erase_if(on_node_,
                [group](const auto& entry) { return entry.second == group; });
  return true;
}

void ExternalPods::Clear() {
  groups_.clear();
  on_node_.clear();
}

ExternalPods::Places ExternalPods::On(const std::string& node) const {
  Places places;
  places.cache_ = &cache_;
  const auto [begin, end] = on_node_.equal_range(node);
  for (auto it = begin; it != end; ++it) {
    const Group& group = groups_.at(it->second);
    for (const PlacedMember& member : group.members)
      if (member.node == node) places.free_.emplace(group.name, member.request);
  }
  return places;
}

bool ExternalPods::Places::Take(const cluster::Pod& pod) {
  if (free_.empty()) return false;
  for (const std::string& name :
       {pod.name, ReadGroupLabels(pod, *cache_).group_name}) {
    const auto [begin, end] = free_.equal_range({pod.namespace_name, name});
    for (auto it = begin; it != end; ++it) {
      if (!it->second->resources.Holds(pod.request.resources)) continue;
      free_.erase(it);
      return true;
    }
  }
  return false;
}

}  // namespace fluxnetes::workers
