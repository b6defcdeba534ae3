// What jobs hold below the vertices that they cover.
#include <algorithm>

#include "matcher/fluxion/matcher_state.h"

namespace fluxnetes::matcher {

// Calls `use` with each cover of a vertex above `v`, and with that vertex.
template <typename Use>
void Matcher::State::ForCoversAbove(VertexIndex v, const Use& use) const {
  if (bookings.covers.empty()) return;
  for (VertexIndex up = graph.parent(v); up != kNoVertex;
       up = graph.parent(up)) {
    for (const Cover& cover : bookings.covers.At(up)) use(up, cover);
  }
}

std::int64_t Matcher::State::JobsAbove(VertexIndex v, bool reserved) const {
  std::int64_t jobs_above = 0;
  ForCoversAbove(v, [&](VertexIndex, const Cover& cover) {
    jobs_above += cover.reserved == reserved;
  });
  return jobs_above;
}

bool Matcher::State::CoveredDuring(VertexIndex v, Time at,
                                   Time duration) const {
  bool covered = false;
  ForCoversAbove(v, [&](VertexIndex, const Cover& cover) {
    covered = covered || (cover.end > at && cover.start - at < duration);
  });
  return covered;
}

// True if a walk that takes the vertex with everything below it may book only
// the vertex: nothing of it is in use, and no weights below it change.
bool Matcher::State::MayCover(VertexIndex v) const {
  if (mode != Mode::kBook || odd_jobs > 0 || graph.IsLeaf(v) ||
      filters.OddBelow(v)) {
    return false;
  }
  if (bookings.sharing.LeastDuring(v, kMaxSharing, match.at, match.duration) <
      kMaxSharing) {
    return false;
  }
  if (!options.policy.stop_on_match) return true;
  for (EdgeIndex e = graph.FirstOut(v); e != kNoEdge; e = graph.NextOut(e)) {
    if (!graph.IsLeaf(graph.target(e))) return false;
  }
  return true;
}

// True if a filter tracks anything below the vertex.
bool Matcher::State::TracksBelow(VertexIndex top) const {
  std::vector<VertexIndex> open = {top};
  while (!open.empty()) {
    const VertexIndex v = open.back();
    open.pop_back();
    for (EdgeIndex e = graph.FirstOut(v); e != kNoEdge; e = graph.NextOut(e)) {
      if (filters.Tracks(graph.type(graph.target(e)))) return true;
      open.push_back(graph.target(e));
    }
  }
  return false;
}

// Books what the job has directly below a vertex that it covers, as if it had
// never covered that. What has something below it is a cover in turn. Vertices
// from `end` on were added later and are not the job's.
void Matcher::State::Split(JobId id, Job& held, VertexIndex top,
                           VertexIndex end) {
  held.bookings.Find(top)->cover = false;
  bookings.covers.Remove(top, id);
  const Time length = held.end - held.start;
  for (EdgeIndex e = graph.FirstOut(top); e != kNoEdge; e = graph.NextOut(e)) {
    const VertexIndex v = graph.target(e);
    if (v >= end || held.bookings.Find(v) != nullptr) continue;
    ++release_steps;
    Booking booking{v};
    booking.tagged = true;
    booking.plan =
        bookings.plans
            .AddSpan(v, graph.units(v), held.start, length, graph.units(v))
            .value_or(0);
    if (booking.plan != 0) {
      ++(held.reserved ? bookings.reservations : bookings.allocations)[v];
    }
    booking.sharing =
        bookings.sharing.AddSpan(v, kMaxSharing, held.start, length, 1)
            .value_or(0);
    if (MultiPlanner* filter = filters.At(v); filter && TracksBelow(v)) {
      booking.filter =
          filter->AddSpan(held.start, length, filter->Totals()).value_or(0);
    }
    booking.cover = !graph.IsLeaf(v);
    if (booking.cover) {
      bookings.covers.Add(v, {id, held.start, held.end, held.reserved});
    }
    held.bookings.Add(booking);
  }
}

// Splits covers until the job has booked the vertex itself, if it covers one
// above it.
void Matcher::State::Uncover(JobId id, VertexIndex v, VertexIndex end) {
  Job& held = jobs.at(id);
  std::vector<VertexIndex> way;
  for (VertexIndex up = graph.parent(v); up != kNoVertex;
       up = graph.parent(up)) {
    way.push_back(up);
    const Booking* booking = held.bookings.Find(up);
    if (booking != nullptr && booking->cover) break;
  }
  for (auto up = way.rbegin(); up != way.rend(); ++up) {
    const Booking* booking = held.bookings.Find(*up);
    if (booking != nullptr && booking->cover) Split(id, held, *up, end);
  }
}

// Books everything below the vertex, if the job covers it.
void Matcher::State::UncoverBelow(JobId id, Job& held, VertexIndex top) {
  std::vector<VertexIndex> open = {top};
  while (!open.empty()) {
    const VertexIndex v = open.back();
    open.pop_back();
    ++release_steps;
    const Booking* booking = held.bookings.Find(v);
    if (booking == nullptr || !booking->cover) continue;
    Split(id, held, v, graph.size());
    for (EdgeIndex e = graph.FirstOut(v); e != kNoEdge; e = graph.NextOut(e)) {
      if (!graph.IsLeaf(graph.target(e))) open.push_back(graph.target(e));
    }
  }
}

// Uncovers the vertex for all jobs that cover one above it.
void Matcher::State::UncoverAbove(VertexIndex v, VertexIndex end) {
  if (bookings.covers.empty()) return;
  std::vector<JobId> ids;
  ForCoversAbove(
      v, [&](VertexIndex, const Cover& cover) { ids.push_back(cover.job); });
  for (const JobId id : ids) Uncover(id, v, end);
}

// Uncovers the vertex and everything below it for all jobs.
void Matcher::State::UncoverAround(VertexIndex top) {
  UncoverAbove(top, graph.size());
  if (bookings.covers.empty()) return;
  for (const VertexIndex v : graph.PostOrder(top)) {
    std::vector<JobId> ids;
    for (const Cover& cover : bookings.covers.At(v)) ids.push_back(cover.job);
    for (const JobId id : ids) UncoverBelow(id, jobs.at(id), v);
  }
}

Matcher::Hold Matcher::HoldOf(JobId job, VertexIndex v) const {
  Hold hold;
  const auto found = state_->jobs.find(job);
  if (found == state_->jobs.end()) return hold;
  const MultiPlanner* filter = state_->filters.At(v);
  if (const Booking* booking = found->second.bookings.Find(v)) {
    hold.tagged = booking->tagged;
    hold.exclusive = booking->plan != 0;
    hold.filtered = booking->filter != 0;
    if (hold.filtered) hold.units = filter->UnitsOf(booking->filter);
    return hold;
  }
  state_->ForCoversAbove(v, [&](VertexIndex, const Cover& cover) {
    hold.tagged = hold.tagged || cover.job == job;
  });
  hold.exclusive = hold.tagged;
  hold.filtered = hold.tagged && filter != nullptr && state_->TracksBelow(v);
  if (hold.filtered) hold.units = filter->Totals();
  return hold;
}

std::int64_t Matcher::allocations(VertexIndex v) const {
  return state_->bookings.allocations[v] + state_->JobsAbove(v, false);
}

std::int64_t Matcher::reservations(VertexIndex v) const {
  return state_->bookings.reservations[v] + state_->JobsAbove(v, true);
}

std::vector<std::int64_t> Matcher::FilterUse(VertexIndex v, Time at) const {
  const MultiPlanner* filter = state_->filters.At(v);
  std::vector<std::int64_t> used;
  if (filter == nullptr) return used;
  const bool covered =
      state_->CoveredDuring(v, at, 1) && state_->TracksBelow(v);
  for (std::size_t i = 0; i < filter->types().size(); ++i) {
    const Planner& planner = filter->planner(static_cast<int>(i));
    used.push_back(covered ? planner.total()
                           : std::max<std::int64_t>(
                                 0, planner.total() - planner.LeftAt(at)));
  }
  return used;
}

}  // namespace fluxnetes::matcher
