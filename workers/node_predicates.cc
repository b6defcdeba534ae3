#include "workers/node_predicates.h"

namespace fluxnetes::workers {
namespace {

std::string KeyOf(const cluster::PodRequest& request,
                  const NodePredicates::Labels& queue_selector) {
  std::string key = cluster::ToJson(request);
  for (const auto& [label, value] : queue_selector) {
    key.append(1, '\0').append(label).append(1, '\0').append(value);
  }
  return key;
}

}  // namespace

void NodePredicates::Update(Predicate& predicate, matcher::NodeIndex index,
                            const cluster::Node& node) {
  if (cluster::Selects(predicate.queue_selector, node) &&
      cluster::Admits(node, predicate.request)) {
    predicate.nodes.Insert(index);
  } else {
    predicate.nodes.Erase(index);
  }
}

const matcher::NodeSet* NodePredicates::Eligible(
    const cluster::PodRequest& request, const Labels& queue_selector) {
  cluster::PodRequest bare = request;
  bare.resources = {};
  auto& predicate = predicates_[KeyOf(bare, queue_selector)];
  if (predicate == nullptr) {
    predicate = std::make_unique<Predicate>();
    predicate->request = std::move(bare);
    predicate->queue_selector = queue_selector;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i] == nullptr) continue;
      Update(*predicate, static_cast<matcher::NodeIndex>(i), *nodes_[i]);
    }
  }
  return &predicate->nodes;
}

void NodePredicates::Set(matcher::NodeIndex index, const cluster::Node& node) {
  if (nodes_.size() <= static_cast<std::size_t>(index)) {
    nodes_.resize(index + 1);
  }
  nodes_[index] = &node;
  for (auto& [key, predicate] : predicates_) Update(*predicate, index, node);
}

void NodePredicates::Remove(matcher::NodeIndex index) {
  if (nodes_.size() <= static_cast<std::size_t>(index)) return;
  nodes_[index] = nullptr;
  for (auto& [key, predicate] : predicates_) predicate->nodes.Erase(index);
}

}  // namespace fluxnetes::workers
