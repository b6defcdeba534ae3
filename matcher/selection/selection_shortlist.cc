// How a Selection makes shortlists and keeps them up to date.
#include <algorithm>

#include "matcher/selection/selection.h"

namespace fluxnetes::matcher {
namespace {

constexpr std::size_t kMostShortlists = 16;
// With more children than this, slots of one vertex are packed part by part.
constexpr int kManyParts = 64;

}  // namespace

// The shortlist that was used last comes first.
Shortlist& Selection::ShortlistFor(const JobRequest& request) {
  const auto found =
      std::find_if(shortlists_.begin(), shortlists_.end(),
                   [&](const auto& list) { return list->Serves(request); });
  if (found != shortlists_.end()) {
    std::rotate(shortlists_.begin(), found, found + 1);
    return *shortlists_.front();
  }
  if (shortlists_.size() == kMostShortlists) shortlists_.pop_back();
  shortlists_.insert(shortlists_.begin(), MakeShortlist());
  return *shortlists_.front();
}

// A shortlist serves requests with one resource at the top and fixed counts,
// under policies that look at everything and score by ids. Only then does the
// rest of the graph not change which vertices are best.
Shortlist::Kind Selection::KindOf() const {
  const JobRequest& request = *request_;
  const auto fixed = [](const JobResource& resource) {
    return Shortlist::IsFixed(resource.count);
  };
  if (policy_.stop_on_match || policy_.score != Policy::Score::kId ||
      request.flexible || request.spec->top != 1 ||
      request.types[0] == graph_.type(graph_.root()) ||
      !std::all_of(request.spec->resources.begin(),
                   request.spec->resources.end(), fixed)) {
    return Shortlist::Kind::kNone;
  }
  if (!request.IsSlot(0)) return Shortlist::Kind::kVertices;
  return request.with[0].first == request.with[0].last
             ? Shortlist::Kind::kNone
             : Shortlist::Kind::kSlots;
}

std::unique_ptr<Shortlist> Selection::MakeShortlist() {
  const auto make = [&](Shortlist::Kind kind) {
    auto list = std::make_unique<Shortlist>(kind, *request_, graph_.size());
    const bool made = kind != Shortlist::Kind::kNone && GatherShortlist(*list);
    if (made) list->Finish();
    list->position = bookings_.log.end();
    return made ? std::move(list) : nullptr;
  };
  auto list = make(KindOf());
  if (!list) {
    return std::make_unique<Shortlist>(Shortlist::Kind::kNone, *request_, 0);
  }
  if (list->kind() != Shortlist::Kind::kSlots || list->size() != 1) {
    return list;
  }
  // If a single vertex has many parts of one type, lists its parts instead.
  const Shortlist::Item only = list->item(0);
  int children = 0;
  for (EdgeIndex e = graph_.FirstOut(only.vertex); e != kNoEdge;
       e = graph_.NextOut(e)) {
    ++children;
  }
  const Level parts = request_->with[0];
  if (children <= kManyParts || parts.last - parts.first != 1) return list;
  auto of_parts = make(Shortlist::Kind::kParts);
  return of_parts ? std::move(of_parts) : std::move(list);
}

// Walks down from the root through all vertices that are not requested
// themselves. False if a shortlist cannot serve the request.
bool Selection::GatherShortlist(Shortlist& list) {
  struct Step {
    EdgeIndex way;
    std::int64_t factors;
    int depth;
  };
  const Level top = request_->top();
  const bool descending = policy_.descending;
  std::vector<Step> steps = {{kNoEdge, 0, 0}};
  std::vector<Step> children;
  std::vector<char> seen(graph_.size());
  while (!steps.empty()) {
    const Step step = steps.back();
    steps.pop_back();
    const VertexIndex v =
        step.way == kNoEdge ? graph_.root() : graph_.target(step.way);
    if (seen[v]++ != 0 || step.depth > kMaxGraphDepth ||
        graph_.FirstIn(v) != step.way) {
      return false;
    }
    std::int64_t factor = 0;
    const Role role = RoleOf(v, top);
    const bool keyed =
        graph_.type(v) == types::kNode || graph_.type(v) == types::kStorageNode;
    if (role.ambiguous || !Factor(v, factor) ||
        (keyed && !request_->spec->constraint.Holds(graph_, v))) {
      continue;
    }
    if (role.resource >= 0) {
      const std::int64_t score = 2 + step.factors + graph_.id(v);
      list.Add(
          {step.way, v, descending ? -score : score, step.factors, step.depth});
      continue;
    }
    if (role.packs_slot) {
      const bool added =
          list.kind() == Shortlist::Kind::kParts
              ? AddParts(list, v, step.factors + factor, step.depth)
              : AddHolder(list, step.way, step.factors, step.depth);
      if (!added) return false;
      if (list.kind() == Shortlist::Kind::kParts) list.AddAbove(v);
      continue;
    }
    list.AddAbove(v);
    children.clear();
    for (EdgeIndex e = graph_.FirstOut(v); e != kNoEdge;
         e = graph_.NextOut(e)) {
      children.push_back({e, step.factors + factor, step.depth + 1});
    }
    steps.insert(steps.end(), children.rbegin(), children.rend());
  }
  return true;
}

// Adds the children of which slots are made.
bool Selection::AddParts(Shortlist& list, VertexIndex holder,
                         std::int64_t factors, int depth) const {
  const Level parts = request_->with[0];
  for (EdgeIndex e = graph_.FirstOut(holder); e != kNoEdge;
       e = graph_.NextOut(e)) {
    const VertexIndex v = graph_.target(e);
    if (graph_.type(v) != request_->types[parts.first]) continue;
    if (graph_.units(v) != 1 || graph_.FirstIn(v) != e) return false;
    std::int64_t factor = 0;
    const Role role = RoleOf(v, parts);
    if (role.ambiguous || !Factor(v, factor)) continue;
    const std::int64_t score = 2 + factors + graph_.id(v);
    list.Add({e, v, policy_.descending ? -score : score, factors, depth + 1});
  }
  return true;
}

// Bounds the holder's slots: none is better than one made of its best part of
// each type.
bool Selection::AddHolder(Shortlist& list, EdgeIndex way, std::int64_t factors,
                          int depth) const {
  const VertexIndex holder =
      way == kNoEdge ? graph_.root() : graph_.target(way);
  std::int64_t own = 0;
  if (!Factor(holder, own)) return true;
  __int128 bound = policy_.descending ? -1 : 1;
  const Level parts = request_->with[0];
  for (int r = parts.first; r < parts.last; ++r) {
    std::int64_t best = Shortlist::kNothing;
    for (EdgeIndex e = graph_.FirstOut(holder); e != kNoEdge;
         e = graph_.NextOut(e)) {
      const VertexIndex v = graph_.target(e);
      std::int64_t factor = 0;
      if (graph_.type(v) != request_->types[r]) continue;
      if (graph_.units(v) != 1 || graph_.FirstIn(v) != e) return false;
      if (!Factor(v, factor)) continue;
      const std::int64_t score = 2 + factors + own + graph_.id(v);
      best = std::min(best, policy_.descending ? -score : score);
    }
    if (best == Shortlist::kNothing) return true;  // it never has a slot
    bound += __int128{request_->resource(r).count.min} * best;
  }
  constexpr __int128 kMost = Shortlist::kNothing - 1;
  bound = std::clamp<__int128>(bound, -kMost, kMost);
  list.Add({way, holder, static_cast<std::int64_t>(bound), factors, depth});
  return true;
}

void Selection::ForgetStatus() {
  memos_.clear();
  for (const auto& list : shortlists_) {
    if (list->kind() == Shortlist::Kind::kSlots) list->ForgetBounds();
  }
}

// Applies what was booked and released since the shortlist was last used.
void Selection::CatchUp(Shortlist& list) {
  const auto touches = bookings_.log.Since(list.position);
  if (!touches) {
    for (int i = 0; i < list.size(); ++i) {
      if (list.kind() == Shortlist::Kind::kSlots) {
        list.Changed(i, true);
      } else {
        list.Readmit(i);
      }
    }
  } else {
    for (const Touch& touch : *touches) {
      int item = list.ItemOf(touch.vertex);
      if (touch.released && item < 0 && !list.IsAbove(touch.vertex)) {
        item = ItemOver(list, touch.vertex);
      }
      if (item >= 0 && list.kind() == Shortlist::Kind::kSlots) {
        list.Changed(item, touch.released, touch.turn);
      } else if (item >= 0) {
        if (touch.released) list.Readmit(item);
      } else if (touch.whole && list.IsAbove(touch.vertex)) {
        ResetBelow(list, touch.vertex, touch.released);
      }
    }
  }
  list.position = bookings_.log.end();
}

// Returns the item above the vertex; -1 if there is none. A job that was
// released in part may have left the item before the vertex below it.
int Selection::ItemOver(const Shortlist& list, VertexIndex v) const {
  while (v != kNoVertex && list.ItemOf(v) < 0) v = graph_.parent(v);
  return v == kNoVertex ? -1 : list.ItemOf(v);
}

void Selection::ResetBelow(Shortlist& list, VertexIndex top, bool released) {
  climb_.assign(1, top);
  while (!climb_.empty()) {
    const VertexIndex v = climb_.back();
    climb_.pop_back();
    const int item = list.ItemOf(v);
    if (item >= 0 && list.kind() == Shortlist::Kind::kSlots) {
      list.Changed(item, released);
    } else if (item >= 0) {
      if (released) list.Readmit(item);
    }
    if (item >= 0 || !list.IsAbove(v)) continue;
    for (EdgeIndex e = graph_.FirstOut(v); e != kNoEdge;
         e = graph_.NextOut(e)) {
      climb_.push_back(graph_.target(e));
    }
  }
}

}  // namespace fluxnetes::matcher
