// The weights of edges. The policy `first` visits the children of a vertex by
// weight, heaviest first, then by uniq id, highest first. Orders are made when
// they are first read, and kept: a match changes few weights.
//
// Part of Bookings; owned by its thread, const members too.
// Tests: tests/matcher/fluxion/matcher_test.cc.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "matcher/graph/resource_graph.h"
#include "matcher/units.h"

namespace fluxnetes::matcher {

class EdgeWeights {
 public:
  // Must be called when the graph has changed. New edges get the highest
  // weight.
  void Resize(int edges) {
    weights_.resize(edges, kForever);
    orders_.clear();
  }
  void Set(const ResourceGraph& graph, EdgeIndex e, std::int64_t weight);
  // Returns the edges from the vertex, in that order.
  const std::vector<EdgeIndex>& From(const ResourceGraph& graph,
                                     VertexIndex v) const;

 private:
  bool Before(const ResourceGraph& graph, EdgeIndex a, EdgeIndex b) const;

  std::vector<std::int64_t> weights_;  // [edge]
  mutable std::unordered_map<VertexIndex, std::vector<EdgeIndex>> orders_;
  mutable std::vector<EdgeIndex> found_;  // scratch of From()
};

}  // namespace fluxnetes::matcher
