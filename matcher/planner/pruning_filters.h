// How much of some types is left below a vertex, over time, so that a match
// need not go down where too little is. Which types are kept where is written
// as "ALL:core,ALL:node,rack:gpu": below every vertex cores and nodes, below
// racks also gpus. Leaf types that nobody names are kept at clusters.
//
// Owned by one thread.
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
  // std::invalid_argument if it is not of the form above.
  PruningFilters(std::string_view specification, ResourceGraph& graph);

  // Makes the filters of the graph's vertices, with nothing taken; those that
  // are there already get other totals and keep what is taken.
  void Build(const ResourceGraph& graph, Time base, Time duration);
  // The same when all that changed is what stands at and below `top`, which
  // was added, or is about to be cut off. False if it takes a Build.
  bool Add(const ResourceGraph& graph, VertexIndex top);
  void Drop(const ResourceGraph& graph, VertexIndex top);

  // Makes room for vertices that were added; they have none.
  void Resize(int vertices) {
    of_.resize(vertices, -1);
    odd_below_.resize(vertices);
  }

  // Whether a filter below the vertex may have less left than is free: it got
  // more while something was in use there.
  bool OddBelow(VertexIndex v) const { return odd_below_[v] != 0; }

  // Whether the type is kept anywhere.
  bool Tracks(TypeId type) const {
    return type < static_cast<int>(tracked_.size()) && tracked_[type] != 0;
  }
  // Null where the vertex has none.
  MultiPlanner* At(VertexIndex v) {
    return of_[v] < 0 ? nullptr : &filters_[of_[v]];
  }
  const MultiPlanner* At(VertexIndex v) const {
    return of_[v] < 0 ? nullptr : &filters_[of_[v]];
  }

 private:
  using Row = std::vector<std::int64_t>;  // units by type

  // Makes those at and below the vertex; tells what is there.
  Row BuildBelow(const ResourceGraph& graph, VertexIndex top);
  Row UnitsBelow(const ResourceGraph& graph, VertexIndex top) const;
  void Shift(const ResourceGraph& graph, VertexIndex from, const Row& units,
             int sign);
  void Install(std::string_view pair, ResourceGraph& graph);
  void Track(TypeId anchor, TypeId type);
  void NoteTracked(TypeId type);
  // The types kept at vertices of a type: its own list, then that of all.
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
