#include "workers/match/partition.h"

#include <algorithm>
#include <numeric>

namespace fluxnetes::workers {

void Partition::SetQueues(const std::map<std::string, Selector>& queues) {
  if (queues == queues_) return;
  queues_ = queues;
  counts_.clear();
  for (auto& [name, known] : nodes_) {
    known.selected = SelectedBy(*known.node);
    ++counts_[known.selected];
  }
  stale_ = true;
}

void Partition::SetNode(const cluster::NodePointer& node) {
  Selected selected = SelectedBy(*node);
  const auto known = nodes_.find(node->name);
  if (known != nodes_.end() && known->second.selected == selected) {
    known->second.node = node;
    return;
  }
  RemoveNode(node->name);
  stale_ |= ++counts_[selected] == 1;
  nodes_[node->name] = {node, std::move(selected)};
}

void Partition::RemoveNode(const std::string& name) {
  const auto known = nodes_.find(name);
  if (known == nodes_.end()) return;
  const auto count = counts_.find(known->second.selected);
  if (--count->second == 0) {
    counts_.erase(count);
    stale_ = true;
  }
  nodes_.erase(known);
}

const std::vector<Partition::Component>& Partition::Components() {
  if (!stale_) return components_;
  stale_ = false;
  // Each queue points to one of its component; the first points to itself.
  std::vector<std::size_t> first(queues_.size());
  std::iota(first.begin(), first.end(), 0);
  const auto root = [&](std::size_t queue) {
    while (first[queue] != queue) queue = first[queue];
    return queue;
  };
  for (const auto& [selected, count] : counts_) {
    std::size_t one = selected.size();
    for (std::size_t queue = 0; queue < selected.size(); ++queue) {
      if (!selected[queue]) continue;
      if (one == selected.size()) one = root(queue);
      const std::size_t other = root(queue);
      first[std::max(one, other)] = std::min(one, other);
      one = std::min(one, other);
    }
  }
  std::map<std::size_t, Component> components;
  std::size_t queue = 0;
  for (const auto& [name, selector] : queues_)
    components[root(queue++)].push_back(name);
  components_.clear();
  for (auto& [number, component] : components)
    components_.push_back(std::move(component));
  return components_;
}

Partition::Selected Partition::SelectedBy(const cluster::Node& node) const {
  Selected selected;
  selected.reserve(queues_.size());
  for (const auto& [name, selector] : queues_)
    selected.push_back(cluster::Selects(selector, node));
  return selected;
}

}  // namespace fluxnetes::workers
