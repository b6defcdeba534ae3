#include "matcher/graph/edge_weights.h"

#include <algorithm>

namespace fluxnetes::matcher {

bool EdgeWeights::Before(const ResourceGraph& graph, EdgeIndex a,
                         EdgeIndex b) const {
  if (weights_[a] != weights_[b]) return weights_[a] > weights_[b];
  return graph.uniq_id(graph.target(a)) > graph.uniq_id(graph.target(b));
}

const std::vector<EdgeIndex>& EdgeWeights::From(const ResourceGraph& graph,
                                                VertexIndex v) const {
  const auto [order, made] = orders_.try_emplace(v);
  std::vector<EdgeIndex>& edges = order->second;
  if (!made) return edges;
  found_.clear();
  for (EdgeIndex e = graph.FirstOut(v); e != kNoEdge; e = graph.NextOut(e)) {
    found_.push_back(e);
  }
  // The usual case: equal weights and rising uniq ids, so reversing sorts.
  const auto not_after = std::adjacent_find(
      found_.begin(), found_.end(),
      [&](EdgeIndex a, EdgeIndex b) { return !Before(graph, b, a); });
  if (not_after == found_.end()) {
    edges.assign(found_.rbegin(), found_.rend());
    return edges;
  }
  edges = found_;
  std::stable_sort(edges.begin(), edges.end(), [&](EdgeIndex a, EdgeIndex b) {
    return Before(graph, a, b);
  });
  return edges;
}

void EdgeWeights::Set(const ResourceGraph& graph, EdgeIndex e,
                      std::int64_t weight) {
  if (weights_[e] == weight) return;
  const auto order = orders_.find(graph.source(e));
  if (order == orders_.end()) {
    weights_[e] = weight;
    return;
  }
  std::vector<EdgeIndex>& edges = order->second;
  const auto place_of = [&] {
    return std::lower_bound(
        edges.begin(), edges.end(), e,
        [&](EdgeIndex a, EdgeIndex b) { return Before(graph, a, b); });
  };
  // Usually the first edge, since it was visited first.
  const auto old =
      !edges.empty() && edges.front() == e ? edges.begin() : place_of();
  const bool alone = old != edges.end() && *old == e;
  if (alone) edges.erase(old);
  weights_[e] = weight;
  const auto place = place_of();
  if (!alone || (place != edges.end() && !Before(graph, e, *place))) {
    orders_.erase(order);  // equal edges keep the order of the graph
  } else {
    edges.insert(place, e);
  }
}

}  // namespace fluxnetes::matcher
