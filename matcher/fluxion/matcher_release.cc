#include <algorithm>
#include <set>

#include "matcher/fluxion/matcher_state.h"

namespace fluxnetes::matcher {

void Matcher::State::Unbook(JobId id, const Job& held, const Booking& booking) {
  const VertexIndex v = booking.vertex;
  bookings.log.Add({v, true, booking.plan != 0});
  if (booking.plan != 0) {
    bookings.plans.RemoveSpan(v, booking.plan);
    --(held.reserved ? bookings.reservations : bookings.allocations)[v];
  }
  if (booking.sharing != 0) bookings.sharing.RemoveSpan(v, booking.sharing);
  if (booking.filter != 0) filters.At(v)->RemoveSpan(booking.filter);
  if (booking.cover) bookings.covers.Remove(v, id);
}

void Matcher::State::ReleaseVertex(JobId id, Job& held, VertexIndex v) {
  const Booking* found = held.Find(v);
  if (found == nullptr) return;
  Unbook(id, held, *found);
  held.bookings.erase(held.bookings.begin() + (found - held.bookings.data()));
}

void Matcher::State::Release(JobId id, Job& held) {
  for (const Booking& booking : held.bookings) Unbook(id, held, booking);
  held.bookings.clear();
}

void Matcher::State::Forget(JobId id) {
  const auto found = jobs.find(id);
  const auto start = starts.find(found->second.start);
  if (--start->second == 0) starts.erase(start);
  if (found->second.odd) --odd_jobs;
  jobs.erase(found);
}

bool Matcher::State::RootTagged(const Job& held) const {
  const Booking* found = held.Find(graph.root());
  return found != nullptr && found->tagged;
}

bool Matcher::Cancel(JobId id) {
  const auto found = state_->jobs.find(id);
  if (found == state_->jobs.end()) return false;
  state_->Release(id, found->second);
  state_->Forget(id);
  return true;
}

// Releases the vertices, then reduces the filters above them by their units. If
// a filter has nothing left of the job, the job leaves the filter's vertex.
Released Matcher::State::ReleasePart(JobId id,
                                     const std::vector<VertexIndex>& vertices) {
  Job& held = jobs.at(id);
  std::map<VertexIndex, std::vector<std::int64_t>> counts;  // [above][type]
  const std::set<VertexIndex> gone(vertices.begin(), vertices.end());
  const std::size_t types = graph.type_names().size();
  for (const VertexIndex v : gone) {
    const Booking* found = held.Find(v);
    if (found == nullptr) continue;
    if (found->plan != 0 && filters.Tracks(graph.type(v))) {
      for (VertexIndex up = graph.parent(v); up != kNoVertex;
           up = graph.parent(up)) {
        if (gone.contains(up)) continue;
        auto& row = counts[up];
        row.resize(types);
        row[graph.type(v)] += graph.units(v);
      }
    }
    for (VertexIndex up = graph.parent(v); up != kNoVertex;
         up = graph.parent(up)) {
      if (!gone.contains(up)) counts[up].resize(types);
    }
  }
  for (const VertexIndex v : gone) ReleaseVertex(id, held, v);
  for (const auto& [v, row] : counts) {
    Booking* found = held.Find(v);
    if (found == nullptr) continue;
    Booking& booking = *found;
    MultiPlanner* filter = filters.At(v);
    if (booking.filter == 0 || filter == nullptr) continue;
    bookings.log.Add({v, true, false});
    std::vector<std::int64_t> units;
    for (const TypeId type : filter->types()) units.push_back(row[type]);
    if (filter->ReduceSpan(booking.filter, units) != Reduced::kRemoved) {
      continue;
    }
    booking.filter = 0;
    if (booking.plan == 0) ReleaseVertex(id, held, v);
  }
  if (RootTagged(held)) {
    NoteOdd(held);
    return Released::kPart;
  }
  Release(id, held);
  Forget(id);
  return Released::kAll;
}

Released Matcher::CancelRanks(JobId id,
                              const std::vector<std::int64_t>& ranks) {
  const auto found = state_->jobs.find(id);
  if (found == state_->jobs.end()) return Released::kUnknown;
  if (found->second.reserved) return Released::kReserved;
  state_->Uncover(id, state_->graph.size());
  std::vector<VertexIndex> vertices;
  for (const std::int64_t rank : ranks) {
    const auto& on_rank = state_->graph.OfRank(rank);
    if (on_rank.empty()) return Released::kNotHeld;
    for (const VertexIndex v : on_rank) {
      const State::Booking* booking = found->second.Find(v);
      if (booking != nullptr && booking->tagged) {
        vertices.push_back(v);
      }
    }
  }
  return state_->ReleasePart(id, vertices);
}

Released Matcher::CancelVertices(JobId id,
                                 const std::vector<VertexIndex>& vertices) {
  const auto found = state_->jobs.find(id);
  if (found == state_->jobs.end()) return Released::kUnknown;
  if (found->second.reserved) return Released::kReserved;
  state_->Uncover(id, state_->graph.size());
  for (const VertexIndex v : vertices) {
    const State::Booking* booking = found->second.Find(v);
    if (booking == nullptr || booking->plan == 0) {
      return Released::kNotHeld;
    }
  }
  return state_->ReleasePart(id, vertices);
}

}  // namespace fluxnetes::matcher
