#include "matcher/graph/edge_weights.h"

#include <algorithm>

namespace fluxnetes::matcher {

bool EdgeWeights::Before(const ResourceGraph& graph, EdgeIndex a,
                         EdgeIndex b) const {
  if (weights_[a] != weights_[b]) return weights_[a] > weights_[b];
  return graph.uniq_id(graph.target(a)) > graph.uniq_id(graph.target(b));
}

void EdgeWeights::Order::Erase(std::size_t place) {
  if (place != 0) {
    edges.erase(edges.begin() + static_cast<std::ptrdiff_t>(first + place));
    return;
  }
  ++first;
  if (2 * first < edges.size()) return;
  edges.erase(edges.begin(),
              edges.begin() + static_cast<std::ptrdiff_t>(first));
  first = 0;
}

void EdgeWeights::Order::Insert(std::size_t place, EdgeIndex e) {
  edges.insert(edges.begin() + static_cast<std::ptrdiff_t>(first + place), e);
}

// Returns how many of the edges, which are in order, come before this one.
// Searches from both ends, since it is near one of them.
std::size_t EdgeWeights::PlaceOf(const ResourceGraph& graph,
                                 std::span<const EdgeIndex> edges,
                                 EdgeIndex e) const {
  const std::size_t size = edges.size();
  std::size_t least = 0;
  std::size_t most = size;
  for (std::size_t step = 1; step <= size; step *= 2) {
    if (!Before(graph, edges[step - 1], e)) {
      most = std::min(most, step - 1);
      break;
    }
    least = std::max(least, step);
    if (Before(graph, edges[size - step], e)) {
      least = std::max(least, size - step + 1);
      break;
    }
    most = std::min(most, size - step);
  }
  const auto begin = edges.begin();
  const auto place = std::lower_bound(
      begin + static_cast<std::ptrdiff_t>(least),
      begin + static_cast<std::ptrdiff_t>(most), e,
      [&](EdgeIndex a, EdgeIndex b) { return Before(graph, a, b); });
  return static_cast<std::size_t>(place - begin);
}

std::span<const EdgeIndex> EdgeWeights::From(const ResourceGraph& graph,
                                             VertexIndex v) const {
  const auto [order, made] = orders_.try_emplace(v);
  if (!made) return order->second.all();
  std::vector<EdgeIndex>& edges = order->second.edges;
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
  Order& edges = order->second;
  const std::size_t old = PlaceOf(graph, edges.all(), e);
  const bool alone = old < edges.all().size() && edges.all()[old] == e;
  if (alone) edges.Erase(old);
  weights_[e] = weight;
  const std::size_t place = PlaceOf(graph, edges.all(), e);
  const bool last = place == edges.all().size();
  if (!alone || (!last && !Before(graph, e, edges.all()[place]))) {
    orders_.erase(order);  // equal edges keep the order of the graph
  } else {
    edges.Insert(place, e);
  }
}

}  // namespace fluxnetes::matcher
