// Selections from a shortlist: the same vertices that a walk over the graph
// selects.
#include <algorithm>

#include "matcher/selection/selection.h"

namespace fluxnetes::matcher {

std::optional<bool> Selection::RunQuick() {
  Shortlist& list = ShortlistFor(*request_);
  if (list.kind() == Shortlist::Kind::kNone) return std::nullopt;
  CatchUp(list);
  passages_.resize(graph_.size());
  picked_.clear();
  marked_.clear();
  listed_ = true;
  if (!Passable(graph_.root())) return false;
  const auto found =
      list.kind() == Shortlist::Kind::kSlots ? RunContest(list) : RunList(list);
  if (found == true) MarkPicked();
  return found;
}

// True if a match may pass through the vertex and all vertices above it.
bool Selection::Passable(VertexIndex v) {
  climb_.clear();
  Passage passage{turn_, true, kNoVertex};
  for (; v != kNoVertex; v = graph_.parent(v)) {
    if (passages_[v].turn == turn_) {
      passage = passages_[v];
      break;
    }
    climb_.push_back(v);
    if (Pruned(v, request_->top(), false)) {
      passage = {turn_, false, v};
      break;
    }
  }
  for (const VertexIndex passed : climb_) passages_[passed] = passage;
  return passage.open;
}

std::optional<Planner::Stretch> Selection::ShortageBelow(
    const MultiPlanner* filter, int resource) const {
  const TypeNeeds& needs = request_->below[resource];
  if (filter == nullptr || !needs.any) return std::nullopt;
  for (std::size_t i = 0; i < filter->types().size(); ++i) {
    const auto shortage = filter->planner(static_cast<int>(i))
                              .ShortageIn(times_.at, times_.duration,
                                          needs.units[filter->types()[i]]);
    if (shortage) return shortage;
  }
  return std::nullopt;
}

// Returns a time during which the vertex is taken whole.
std::optional<Planner::Stretch> Selection::WholeUse(VertexIndex v) const {
  return bookings_.plans.ShortageIn(v, graph_.units(v), times_.at,
                                    times_.duration, 1);
}

// Returns a time during which the vertex is of no use because too little of it
// is left, by the rules of Pruned().
std::optional<Planner::Stretch> Selection::ShortageAt(VertexIndex v,
                                                      Level level,
                                                      bool exclusive) const {
  if (const auto used = WholeUse(v)) return used;
  for (int i = level.first; i < level.last; ++i) {
    const int r = request_->lists[i];
    if (request_->types[r] != graph_.type(v)) continue;
    const bool alone = exclusive || request_->resource(r).exclusive == true;
    if (alone) {
      const auto shared = bookings_.sharing.ShortageIn(
          v, kMaxSharing, times_.at, times_.duration, kMaxSharing);
      if (shared) return shared;
    }
    if (const auto few = ShortageBelow(filters_.At(v), r)) return few;
  }
  return std::nullopt;
}

bool Selection::TryItem(Shortlist& list, int i, Candidate& candidate) {
  const Shortlist::Item& item = list.item(i);
  const VertexIndex above = graph_.source(item.way);
  if (!Passable(above)) {
    const auto used = WholeUse(passages_[above].closed_by);
    if (used) list.RuleOut(i, *used);
    return false;
  }
  const bool parts = list.kind() == Shortlist::Kind::kParts;
  const Level level = parts ? request_->with[0] : request_->top();
  factors_ = item.factors;
  const bool fits =
      Visit(item.way, item.vertex, level, !parts, parts, item.depth, candidate);
  factors_ = 0;
  if (fits) return true;
  const auto shortage = ShortageAt(item.vertex, level, parts);
  if (shortage) list.RuleOut(i, *shortage);
  return false;
}

std::optional<bool> Selection::RunList(Shortlist& list) {
  const Time end = times_.duration >= kForever - times_.at
                       ? kForever
                       : times_.at + times_.duration;
  const bool parts = list.kind() == Shortlist::Kind::kParts;
  const std::uint64_t each = parts ? request_->resource(1).count.min : 1;
  const std::uint64_t wanted = request_->resource(0).count.min * each;
  Candidate candidate;
  std::uint64_t units = 0;
  std::int64_t key = 0;
  int next = list.Next(0, times_.at, end);
  for (; next >= 0 && units < wanted;
       next = list.Next(next + 1, times_.at, end)) {
    if (!TryItem(list, next, candidate)) continue;
    picked_.push_back(candidate);
    units += candidate.units;
    key = list.item(next).key;
  }
  if (units < wanted) return false;
  // If another item is as good as the last, the order of equal items decides.
  // Up to what is sorted only a walk knows it; beyond that it is the
  // shortlist's.
  const std::uint64_t sorted = most_sorted_ * each + each;
  bool chance = false;
  std::uint64_t found = picked_.size();
  for (; next >= 0 && found <= sorted && (chance || list.item(next).key == key);
       next = list.Next(next + 1, times_.at, end)) {
    if (!TryItem(list, next, candidate)) continue;
    chance = true;
    ++found;
    if (most_sorted_ == kUnlimited) break;
  }
  if (chance && found <= sorted) return std::nullopt;
  return true;
}

void Selection::MarkPicked() {
  for (const Candidate& candidate : picked_) {
    for (int c = 0; c < candidate.choices; ++c) {
      const Choice choice = choices_[candidate.first + c];
      MarkEdge(choice.edge, choice.units, choice.exclusive);
      EdgeIndex e = choice.edge;
      while (e != kNoEdge) {
        const VertexIndex v = graph_.source(e);
        e = graph_.FirstIn(v);
        if (e == kNoEdge || Selected(e)) break;
        MarkEdge(e, graph_.units(v), false);
      }
    }
  }
  if (root_mark_.turn != turn_) MarkEdge(kNoEdge, 1, false);
  std::sort(marked_.begin(), marked_.end());
}

std::span<const Selection::Listed> Selection::SelectedFrom(
    VertexIndex v) const {
  const auto from = std::equal_range(
      marked_.begin(), marked_.end(), Listed{v, kNoEdge},
      [](const Listed& a, const Listed& b) { return a.source < b.source; });
  return {from.first, from.second};
}

}  // namespace fluxnetes::matcher
