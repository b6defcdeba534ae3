#include "workers/graph/node_predicates.h"

namespace fluxnetes::workers {

const matcher::NodeSet* NodePredicates::Eligible(const Labels& queue_selector) {
  auto& set = sets_[queue_selector];
  if (set != nullptr) return set.get();
  set = std::make_unique<matcher::NodeSet>();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i] == nullptr) continue;
    if (!cluster::Selects(queue_selector, *nodes_[i])) continue;
    set->Insert(static_cast<matcher::NodeIndex>(i));
  }
  return set.get();
}

void NodePredicates::Set(matcher::NodeIndex index, const cluster::Node& node) {
  if (nodes_.size() <= static_cast<std::size_t>(index)) {
    nodes_.resize(index + 1);
  }
  nodes_[index] = &node;
  for (auto& [selector, set] : sets_) {
    if (cluster::Selects(selector, node)) {
      set->Insert(index);
    } else {
      set->Erase(index);
    }
  }
}

void NodePredicates::Remove(matcher::NodeIndex index) {
  if (nodes_.size() <= static_cast<std::size_t>(index)) return;
  nodes_[index] = nullptr;
  for (auto& [selector, set] : sets_) set->Erase(index);
}

}  // namespace fluxnetes::workers
