#include <sstream>

#include "tests/matcher/plain/plain_matcher.h"

namespace fluxnetes::matcher {

void PlainMatcher::ReadFilters(const std::string& specification) {
  std::istringstream in(specification);
  for (std::string pair; std::getline(in, pair, ',');) {
    const auto colon = pair.find(':');
    const TypeId low = *graph_.type_names().Find(pair.substr(colon + 1));
    if (pair.substr(0, colon) == "ALL") {
      for (auto& [anchor, list] : tracked_at_) list.erase(low);
      tracked_everywhere_.insert(low);
    } else if (!tracked_everywhere_.contains(low)) {
      tracked_at_[*graph_.type_names().Find(pair.substr(0, colon))].insert(low);
    }
  }
}

bool PlainMatcher::Tracked(TypeId type) const {
  bool tracked = tracked_everywhere_.contains(type);
  for (const auto& [anchor, list] : tracked_at_) {
    tracked = tracked || list.contains(type);
  }
  return tracked;
}

void PlainMatcher::GraphChanged() {
  while (static_cast<int>(places_.size()) < graph_.size()) {
    const auto v = static_cast<VertexIndex>(places_.size());
    places_.emplace_back(graph_.units(v));
    up_.push_back(graph_.up(v) ? 1 : 0);
  }
  TrackLeaves(graph_.root());
  CountBelow(graph_.root());
}

// Tracks the type of every leaf, at clusters if it is not tracked yet.
void PlainMatcher::TrackLeaves(VertexIndex v) {
  for (EdgeIndex e = graph_.FirstOut(v); e != kNoEdge; e = graph_.NextOut(e)) {
    TrackLeaves(graph_.target(e));
  }
  if (graph_.IsLeaf(v) && !Tracked(graph_.type(v))) {
    tracked_at_[types::kCluster].insert(graph_.type(v));
  }
}

// Returns the units of the tracked types at and below the vertex.
PlainMatcher::Counts PlainMatcher::CountBelow(VertexIndex v) {
  Counts below;
  for (EdgeIndex e = graph_.FirstOut(v); e != kNoEdge; e = graph_.NextOut(e)) {
    for (const auto& [type, count] : CountBelow(graph_.target(e))) {
      below[type] += count;
    }
  }
  const TypeId type = graph_.type(v);
  if (!graph_.IsLeaf(v) || places_[v].filtered) SetFilter(v, below);
  if (Tracked(type)) below[type] += graph_.units(v);
  return below;
}

void PlainMatcher::SetFilter(VertexIndex v, const Counts& below) {
  std::vector<TypeId> types;
  const auto own = tracked_at_.find(graph_.type(v));
  if (own != tracked_at_.end()) {
    types.assign(own->second.begin(), own->second.end());
  }
  for (const TypeId type : tracked_everywhere_) {
    if (type != graph_.type(v)) types.push_back(type);
  }
  Place& place = places_[v];
  if (types.empty() && !place.filtered) return;
  std::vector<std::pair<TypeId, PlainPlan>> filter;
  for (const TypeId type : types) {
    const auto counted = below.find(type);
    const std::int64_t total = counted == below.end() ? 0 : counted->second;
    PlainPlan plan(total);
    for (auto& [known, old] : place.filter) {
      if (known != type) continue;
      plan = old;
      plan.SetTotal(total);
    }
    filter.emplace_back(type, plan);
  }
  place.filter = filter;
  place.filtered = true;
}

bool PlainMatcher::FilterHas(VertexIndex v, const Counts& needs) const {
  if (needs.empty()) return true;
  for (const auto& [type, plan] : places_[v].filter) {
    const auto found = needs.find(type);
    const std::int64_t need = found == needs.end() ? 0 : found->second;
    if (!plan.Has(attempt_.at, attempt_.end, need)) return false;
  }
  return true;
}

}  // namespace fluxnetes::matcher
