#include <algorithm>

#include "matcher/selection/selection.h"

namespace fluxnetes::matcher {

bool Selection::Pruned(VertexIndex v, Level level, bool exclusive) {
  if (times_.status && !graph_.up(v)) return true;
  const TypeId type = graph_.type(v);
  if ((type == types::kNode || type == types::kStorageNode) &&
      !request_->spec->constraint.Holds(graph_, v)) {
    return true;
  }
  if (bookings_.plans.LeastDuring(v, graph_.units(v), times_.at,
                                  times_.duration) <= 0) {
    return true;
  }
  int last_slot = -1;
  for (int i = level.first; i < level.last; ++i) {
    const int r = request_->lists[i];
    if (request_->types[r] == type) {
      const std::optional<bool> asked = request_->resource(r).exclusive;
      if (exclusive && asked == false) return true;
      if (PrunedByUse(v, exclusive || asked == true)) return true;
      if (PrunedByNeeds(v, r)) return true;
    } else if (request_->IsSlot(r)) {
      if (!request_->flexible && PrunedByNeeds(v, r)) return true;
      last_slot = r;
    }
  }
  // Of alternatives, only the last slot decides, as in Fluxion.
  return request_->flexible && last_slot >= 0 && PrunedByNeeds(v, last_slot);
}

bool Selection::PrunedByUse(VertexIndex v, bool exclusive) const {
  if (!exclusive) return false;
  if (times_.now && Allocated(v)) return true;
  return bookings_.sharing.LeastDuring(v, kMaxSharing, times_.at,
                                       times_.duration) < kMaxSharing;
}

// True if a job has the vertex now, or covers a vertex above it.
bool Selection::Allocated(VertexIndex v) const {
  if (bookings_.allocations[v] > 0) return true;
  if (bookings_.covers.empty()) return false;
  const VertexIndex parent = graph_.parent(v);
  if (parent == kNoVertex) return false;
  if (covered_.turn != turn_ || covered_.vertex != parent) {
    covered_ = {turn_, parent, Covered(parent)};
  }
  return covered_.now;
}

// True if a job covers the vertex, or one above it, now.
bool Selection::Covered(VertexIndex v) const {
  for (; v != kNoVertex; v = graph_.parent(v)) {
    for (const Cover& cover : bookings_.covers.At(v)) {
      if (!cover.reserved) return true;
    }
  }
  return false;
}

// Returns the resource of the level that asks for the leaf's type; -1: none, or
// the leaf cannot be given.
int Selection::AskedOf(VertexIndex leaf, Level level) const {
  if (times_.status && !graph_.up(leaf)) return -1;
  int r = level.first;
  while (r < level.last && request_->types[r] != graph_.type(leaf)) ++r;
  std::int64_t factor = 0;
  return r < level.last && Factor(leaf, factor) ? r : -1;
}

// True if all of what is below the vertex, which nobody uses, has what the
// level asks for, and the vertex is taken with all of that, so that no choice
// need be made. Nothing if only a walk can tell.
std::optional<bool> Selection::SufficesWhole(VertexIndex v, Level level) {
  if (level.first == level.last) return true;
  if (!times_.tidy || !IsTree()) return std::nullopt;
  for (int r = level.first; r < level.last; ++r) {
    const JobResource& asked = request_->resource(r);
    if (request_->IsSlot(r) || asked.exclusive == false ||
        !asked.label.empty() ||
        request_->with[r].first != request_->with[r].last ||
        std::count(&request_->types[level.first], &request_->types[r],
                   request_->types[r]) > 0) {
      return std::nullopt;
    }
  }
  leaf_units_.assign(level.last - level.first, 0);
  for (EdgeIndex e = graph_.FirstOut(v); e != kNoEdge; e = graph_.NextOut(e)) {
    const VertexIndex leaf = graph_.target(e);
    const TypeId type = graph_.type(leaf);
    if (!graph_.IsLeaf(leaf) || filters_.At(leaf) != nullptr ||
        type == types::kNode || type == types::kStorageNode) {
      return std::nullopt;
    }
    const int r = AskedOf(leaf, level);
    if (r >= 0) leaf_units_[r - level.first] += graph_.units(leaf);
  }
  for (int r = level.first; r < level.last; ++r) {
    const Count& count = request_->resource(r).count;
    if (count.Take(leaf_units_[r - level.first]) == 0) return false;
  }
  return true;
}

bool Selection::PrunedByNeeds(VertexIndex v, int resource) {
  const MultiPlanner* filter = filters_.At(v);
  const TypeNeeds& needs = request_->below[resource];
  if (filter == nullptr || !needs.any) return false;
  needs_.clear();
  for (const TypeId type : filter->types()) {
    needs_.push_back(needs.units[type]);
  }
  return filter->AvailableDuring(times_.at, times_.duration, needs_) !=
         Plan::kFits;
}

}  // namespace fluxnetes::matcher
