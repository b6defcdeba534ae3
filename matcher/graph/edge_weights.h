// The weights of edges. The policy `first` visits the children of a vertex by
// weight, heaviest first, then by uniq id, highest first. Orders are made when
// they are first read, and kept: a match changes few weights.
//
// Part of Bookings; owned by its thread, const members too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
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
  // Returns the edges from the vertex, in that order, until a weight is set.
  std::span<const EdgeIndex> From(const ResourceGraph& graph,
                                  VertexIndex v) const;

 private:
  // The edges from one vertex: those from `first` on. A match takes the first
  // edge and makes it light, so it usually moves from the front to the back.
  struct Order {
    std::size_t first = 0;
    std::vector<EdgeIndex> edges;

    std::span<const EdgeIndex> all() const {
      return std::span(edges).subspan(first);
    }
    void Erase(std::size_t place);
    void Insert(std::size_t place, EdgeIndex e);
  };

  bool Before(const ResourceGraph& graph, EdgeIndex a, EdgeIndex b) const;
  std::size_t PlaceOf(const ResourceGraph& graph,
                      std::span<const EdgeIndex> edges, EdgeIndex e) const;

  std::vector<std::int64_t> weights_;  // [edge]
  mutable std::unordered_map<VertexIndex, Order> orders_;
  mutable std::vector<EdgeIndex> found_;  // scratch of From()
};

}  // namespace fluxnetes::matcher
