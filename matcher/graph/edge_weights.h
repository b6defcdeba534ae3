// The weights of edges, by which `first` looks at the children of a vertex: the
// heaviest first, then the highest uniq id. Orders are made when they are asked
// for and kept: a match changes few weights.
//
// Part of Bookings; owned by its thread, const members too.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "matcher/graph/resource_graph.h"
#include "matcher/units.h"

namespace fluxnetes::matcher {

class EdgeWeights {
 public:
  // To be called when the graph has changed. New edges have the most weight.
  void Resize(int edges) {
    weights_.resize(edges, kForever);
    orders_.clear();
  }
  void Set(const ResourceGraph& graph, EdgeIndex e, std::int64_t weight);
  // The edges from the vertex.
  const std::vector<EdgeIndex>& From(const ResourceGraph& graph,
                                     VertexIndex v) const;

 private:
  bool Before(const ResourceGraph& graph, EdgeIndex a, EdgeIndex b) const;

  std::vector<std::int64_t> weights_;  // [edge]
  mutable std::unordered_map<VertexIndex, std::vector<EdgeIndex>> orders_;
  mutable std::vector<EdgeIndex> found_;  // while an order is made
};

}  // namespace fluxnetes::matcher
