// How many units of some types are left below a vertex, over time, so that a
// match need not go down where too little is left. The specification
// "ALL:core,ALL:node,rack:gpu" keeps cores and nodes at every vertex, and gpus
// at racks too. Leaf types that it does not name are kept at clusters.
//
// Owned by one thread.
// Tests: tests/matcher/fluxion/matcher_plain_test.cc,
// tests/matcher/fluxion/find_expression_test.cc.
#pragma once

#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "matcher/graph/resource_graph.h"
#include "matcher/planner/multi_planner.h"

namespace fluxnetes::matcher {

class PruningFilters {
 public:
  // Numbers the types of the specification in the graph. Throws
  // std::invalid_argument if it is malformed.
  PruningFilters(std::string_view specification, ResourceGraph& graph);

  // Makes the filters of the graph's vertices, with nothing taken. Filters that
  // exist get other totals and keep their spans.
  void Build(const ResourceGraph& graph, Time base, Time duration);
  // Do the same if the only change is the subtree of `top`, which was added, or
  // is about to be cut off. Add() returns false if Build() is needed.
  bool Add(const ResourceGraph& graph, VertexIndex top);
  void Drop(const ResourceGraph& graph, VertexIndex top);

  // Makes room for vertices that were added and have no filters yet.
  void Resize(int vertices) {
    of_.resize(vertices, -1);
    odd_below_.resize(vertices);
  }

  // True if a filter below the vertex may have less left than is free, because
  // its total grew while something was in use there.
  bool OddBelow(VertexIndex v) const { return odd_below_[v] != 0; }

  // True if the type is kept at some vertices.
  bool Tracks(TypeId type) const {
    return type < static_cast<int>(tracked_.size()) && tracked_[type] != 0;
  }
  // Returns null if the vertex has none.
  MultiPlanner* At(VertexIndex v) {
    return of_[v] < 0 ? nullptr : &filters_[of_[v]];
  }
  const MultiPlanner* At(VertexIndex v) const {
    return of_[v] < 0 ? nullptr : &filters_[of_[v]];
  }

 private:
  using Row = std::vector<std::int64_t>;  // units by type

  // Makes the filters at and below the vertex; returns the units there.
  Row BuildBelow(const ResourceGraph& graph, VertexIndex top);
  Row UnitsBelow(const ResourceGraph& graph, VertexIndex top) const;
  void Shift(const ResourceGraph& graph, VertexIndex from, const Row& units,
             int sign);
  void Install(std::string_view pair, ResourceGraph& graph);
  void Track(TypeId anchor, TypeId type);
  void NoteTracked(TypeId type);
  // Returns the types kept at vertices of a type: its own list, then that of
  // ALL.
  std::vector<TypeId> TypesAt(TypeId type) const;
  void Set(const ResourceGraph& graph, VertexIndex v,
           const std::vector<std::int64_t>& below);

  Time base_ = 0;
  Time duration_ = 0;
  std::unordered_map<TypeId, std::set<TypeId>> anchors_;
  std::set<TypeId> all_;
  std::vector<char> tracked_;     // [type]
  std::vector<std::int32_t> of_;  // [vertex], -1: none
  std::vector<char> odd_below_;   // [vertex]
  std::vector<MultiPlanner> filters_;
};

}  // namespace fluxnetes::matcher
