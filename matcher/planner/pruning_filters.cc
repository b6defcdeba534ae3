#include "matcher/planner/pruning_filters.h"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>

namespace fluxnetes::matcher {

PruningFilters::PruningFilters(std::string_view specification,
                               ResourceGraph& graph) {
  std::string text(specification);
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t'; });
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto comma = std::min(rest.find(','), rest.size());
    Install(rest.substr(0, comma), graph);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
}

void PruningFilters::Install(std::string_view pair, ResourceGraph& graph) {
  const auto colon = pair.find(':');
  if (colon == std::string_view::npos || colon == 0 ||
      colon + 1 == pair.size()) {
    throw std::invalid_argument("pruning filter \"" + std::string(pair) +
                                "\" is not of the form rack:core or ALL:core");
  }
  const std::string_view anchor = pair.substr(0, colon);
  const TypeId type = graph.AddType(pair.substr(colon + 1));
  if (anchor != "ALL") {
    Track(graph.AddType(anchor), type);
    return;
  }
  for (auto& [other, list] : anchors_) list.erase(type);
  all_.insert(type);
  NoteTracked(type);
}

void PruningFilters::Track(TypeId anchor, TypeId type) {
  if (all_.contains(type)) return;
  anchors_[anchor].insert(type);
  NoteTracked(type);
}

void PruningFilters::NoteTracked(TypeId type) {
  if (type >= static_cast<int>(tracked_.size())) tracked_.resize(type + 1);
  tracked_[type] = 1;
}

std::vector<TypeId> PruningFilters::TypesAt(TypeId type) const {
  std::vector<TypeId> list;
  if (const auto own = anchors_.find(type); own != anchors_.end()) {
    list.assign(own->second.begin(), own->second.end());
  }
  for (const TypeId other : all_) {
    if (other != type) list.push_back(other);
  }
  return list;
}

void PruningFilters::Set(const ResourceGraph& graph, VertexIndex v,
                         const std::vector<std::int64_t>& below) {
  std::vector<TypeId> list = TypesAt(graph.type(v));
  if (list.empty() && of_[v] < 0) return;
  std::vector<std::int64_t> totals;
  for (const TypeId t : list) totals.push_back(below[t]);
  if (of_[v] >= 0) {
    if (!filters_[of_[v]].Update(list, totals)) return;
    for (VertexIndex up = graph.parent(v); up != kNoVertex;
         up = graph.parent(up)) {
      odd_below_[up] = 1;
    }
    return;
  }
  of_[v] = static_cast<std::int32_t>(filters_.size());
  filters_.emplace_back(base_, duration_, std::move(list), totals);
}

void PruningFilters::Build(const ResourceGraph& graph, Time base,
                           Time duration) {
  base_ = base;
  duration_ = duration;
  Resize(graph.size());
  if (graph.root() == kNoVertex) return;
  // A type counts wherever it stands, also before its first leaf in this order.
  for (const VertexIndex v : graph.PostOrder(graph.root())) {
    if (graph.IsLeaf(v) && !Tracks(graph.type(v))) {
      Track(types::kCluster, graph.type(v));
    }
  }
  BuildBelow(graph, graph.root());
}

PruningFilters::Row PruningFilters::BuildBelow(const ResourceGraph& graph,
                                               VertexIndex top) {
  // [depth]: units below the vertex that is visited at that depth.
  std::vector<Row> levels(kMaxGraphDepth + 2, Row(graph.type_names().size()));
  struct Step {
    VertexIndex v;
    EdgeIndex next;
  };
  std::vector<char> seen(graph.size());
  std::vector<Step> way;
  const auto enter = [&](VertexIndex v) {
    seen[v] = 1;
    way.push_back({v, graph.FirstOut(v)});
  };
  for (enter(top); !way.empty();) {
    Step& step = way.back();
    if (step.next != kNoEdge) {
      const VertexIndex child = graph.target(step.next);
      step.next = graph.NextOut(step.next);
      if (seen[child] == 0) enter(child);
      continue;
    }
    const VertexIndex v = step.v;
    const TypeId type = graph.type(v);
    Row& below = levels[way.size()];
    Row& here = levels[way.size() - 1];
    if (graph.IsLeaf(v)) {
      if (of_[v] >= 0) Set(graph, v, below);
    } else {
      Set(graph, v, below);
      std::transform(below.begin(), below.end(), here.begin(), here.begin(),
                     std::plus<>());
      std::fill(below.begin(), below.end(), 0);
    }
    if (Tracks(type)) here[type] += graph.units(v);
    way.pop_back();
  }
  return levels[0];
}

PruningFilters::Row PruningFilters::UnitsBelow(const ResourceGraph& graph,
                                               VertexIndex top) const {
  Row units(graph.type_names().size());
  for (const VertexIndex v : graph.PostOrder(top)) {
    if (Tracks(graph.type(v))) units[graph.type(v)] += graph.units(v);
  }
  return units;
}

// Adds the units, times sign, to the totals of all filters from the vertex up.
void PruningFilters::Shift(const ResourceGraph& graph, VertexIndex from,
                           const Row& units, int sign) {
  Row below(graph.type_names().size());
  for (VertexIndex v = from; v != kNoVertex; v = graph.parent(v)) {
    const MultiPlanner* filter = At(v);
    if (filter == nullptr) continue;
    const Row totals = filter->Totals();
    for (std::size_t i = 0; i < totals.size(); ++i) {
      const TypeId type = filter->types()[i];
      below[type] = totals[i] + sign * units[type];
    }
    Set(graph, v, below);
  }
}

bool PruningFilters::Add(const ResourceGraph& graph, VertexIndex top) {
  Resize(graph.size());
  for (const VertexIndex v : graph.PostOrder(top)) {
    if (graph.IsLeaf(v) && !Tracks(graph.type(v))) return false;
  }
  for (VertexIndex v = graph.parent(top); v != kNoVertex; v = graph.parent(v)) {
    if (At(v) == nullptr && !TypesAt(graph.type(v)).empty()) return false;
  }
  Shift(graph, graph.parent(top), BuildBelow(graph, top), 1);
  return true;
}

void PruningFilters::Drop(const ResourceGraph& graph, VertexIndex top) {
  Shift(graph, graph.parent(top), UnitsBelow(graph, top), -1);
}

}  // namespace fluxnetes::matcher
