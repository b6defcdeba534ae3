#include <utility>

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

void Matcher::State::Release(JobId id, Job& held) {
  for (const Booking& booking : held.bookings) Unbook(id, held, booking);
  held.bookings.clear();
}

void Matcher::State::Forget(JobId id) {
  const auto found = jobs.find(id);
  const auto count_off = [](std::map<Time, int>& times, Time time) {
    const auto at = times.find(time);
    if (--at->second == 0) times.erase(at);
  };
  count_off(starts, found->second.start);
  if (!found->second.reserved) count_off(ends, found->second.end);
  if (found->second.odd) --odd_jobs;
  jobs.erase(found);
}

bool Matcher::State::RootTagged(const Job& held) const {
  const Booking* found = held.bookings.Find(graph.root());
  return found != nullptr && found->tagged;
}

bool Matcher::Cancel(JobId id) {
  const auto found = state_->jobs.find(id);
  if (found == state_->jobs.end()) return false;
  state_->Release(id, found->second);
  state_->Forget(id);
  return true;
}

std::int64_t Matcher::release_steps() const { return state_->release_steps; }

Released Matcher::CancelRanks(JobId id,
                              const std::vector<std::int64_t>& ranks) {
  const auto found = state_->jobs.find(id);
  if (found == state_->jobs.end()) return Released::kUnknown;
  const State::Job& held = found->second;
  if (held.reserved) return Released::kReserved;
  std::vector<VertexIndex> vertices;
  for (const std::int64_t rank : ranks) {
    const auto& on_rank = state_->graph.OfRank(rank);
    bool holds_some = false;
    for (const VertexIndex v : on_rank) {
      const Booking* booking = held.bookings.Find(v);
      if (booking != nullptr ? !booking->tagged
                             : state_->CoverOf(held, v) == kNoVertex) {
        continue;
      }
      vertices.push_back(v);
      holds_some = holds_some || booking == nullptr || booking->plan != 0;
    }
    if (!holds_some) return Released::kNotHeld;
  }
  return state_->ReleasePart(id, std::move(vertices));
}

Released Matcher::CancelVertices(JobId id,
                                 const std::vector<VertexIndex>& vertices) {
  const auto found = state_->jobs.find(id);
  if (found == state_->jobs.end()) return Released::kUnknown;
  const State::Job& held = found->second;
  if (held.reserved) return Released::kReserved;
  for (const VertexIndex v : vertices) {
    const Booking* booking = held.bookings.Find(v);
    if (booking != nullptr ? booking->plan == 0
                           : state_->CoverOf(held, v) == kNoVertex) {
      return Released::kNotHeld;
    }
  }
  return state_->ReleasePart(id, vertices);
}

}  // namespace fluxnetes::matcher
