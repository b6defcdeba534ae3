#include <algorithm>
#include <set>

#include "matcher/matcher_state.h"

namespace fluxnetes::matcher {

void Matcher::State::ReleaseVertex(Job& held, VertexIndex v) {
  const auto found = held.bookings.find(v);
  if (found == held.bookings.end()) return;
  const Booking booking = found->second;
  held.bookings.erase(found);
  bookings.log.Add({v, true, booking.plan != 0});
  if (booking.plan != 0) {
    bookings.plans.Remove(v, booking.plan);
    --(held.reserved ? bookings.reservations : bookings.allocations)[v];
  }
  if (booking.sharing != 0) bookings.sharing.Remove(v, booking.sharing);
  if (booking.filter != 0) filters.At(v)->RemoveSpan(booking.filter);
}

void Matcher::State::Release(Job& held) {
  while (!held.bookings.empty()) {
    ReleaseVertex(held, held.bookings.begin()->first);
  }
}

void Matcher::State::Forget(JobId id) {
  const auto found = jobs.find(id);
  const auto start = starts.find(found->second.start);
  if (--start->second == 0) starts.erase(start);
  jobs.erase(found);
}

bool Matcher::State::RootTagged(const Job& held) const {
  const auto found = held.bookings.find(graph.root());
  return found != held.bookings.end() && found->second.tagged;
}

bool Matcher::Cancel(JobId id) {
  const auto found = state_->jobs.find(id);
  if (found == state_->jobs.end()) return false;
  state_->Release(found->second);
  state_->Forget(id);
  return true;
}

// Releases the vertices, then takes what they gave to the filters above them
// from there. Where nothing is left to a filter the job is gone from its
// vertex.
Released Matcher::State::ReleasePart(JobId id,
                                     const std::vector<VertexIndex>& vertices) {
  Job& held = jobs.at(id);
  std::map<VertexIndex, std::vector<std::int64_t>> counts;  // [above][type]
  const std::set<VertexIndex> gone(vertices.begin(), vertices.end());
  const std::size_t types = graph.type_names().size();
  for (const VertexIndex v : gone) {
    const auto found = held.bookings.find(v);
    if (found == held.bookings.end()) continue;
    if (found->second.plan != 0 && filters.Tracks(graph.type(v))) {
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
  for (const VertexIndex v : gone) ReleaseVertex(held, v);
  for (const auto& [v, row] : counts) {
    const auto found = held.bookings.find(v);
    if (found == held.bookings.end()) continue;
    Booking& booking = found->second;
    MultiPlanner* filter = filters.At(v);
    if (booking.filter == 0 || filter == nullptr) continue;
    bookings.log.Add({v, true, false});
    std::vector<std::int64_t> units;
    for (const TypeId type : filter->types()) units.push_back(row[type]);
    if (filter->ReduceSpan(booking.filter, units) != Reduced::kRemoved) {
      continue;
    }
    booking.filter = 0;
    if (booking.plan == 0) ReleaseVertex(held, v);
  }
  if (RootTagged(held)) return Released::kPart;
  Release(held);
  Forget(id);
  return Released::kAll;
}

Released Matcher::CancelRanks(JobId id,
                              const std::vector<std::int64_t>& ranks) {
  const auto found = state_->jobs.find(id);
  if (found == state_->jobs.end()) return Released::kUnknown;
  if (found->second.reserved) return Released::kReserved;
  std::vector<VertexIndex> vertices;
  for (const std::int64_t rank : ranks) {
    const auto& on_rank = state_->graph.OfRank(rank);
    if (on_rank.empty()) return Released::kNotHeld;
    for (const VertexIndex v : on_rank) {
      const auto booking = found->second.bookings.find(v);
      if (booking != found->second.bookings.end() && booking->second.tagged) {
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
  for (const VertexIndex v : vertices) {
    const auto booking = found->second.bookings.find(v);
    if (booking == found->second.bookings.end() || booking->second.plan == 0) {
      return Released::kNotHeld;
    }
  }
  return state_->ReleasePart(id, vertices);
}

}  // namespace fluxnetes::matcher
