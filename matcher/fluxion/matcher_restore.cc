#include <fmt/format.h>

#include <unordered_set>
#include <utility>

#include "matcher/fluxion/matcher_state.h"

namespace fluxnetes::matcher {

// Books the parts that the job has exclusively and checks that the others are
// free. Returns the error, if any; then the job keeps what was booked before
// it.
std::string Matcher::State::BookHeld(const HeldParts& held) {
  std::unordered_set<VertexIndex> parts;
  for (const HeldPart& part : held.parts) {
    const VertexIndex v = part.vertex;
    UncoverAbove(v, graph.size());
    if (!part.exclusive) {
      if (bookings.plans.LeastDuring(v, graph.units(v), match.at,
                                     match.duration) < graph.units(v)) {
        return fmt::format("{} is not free", graph.Path(v));
      }
      continue;
    }
    const auto span = bookings.plans.AddSpan(v, graph.units(v), match.at,
                                             match.duration, part.units);
    if (!span) {
      return fmt::format("update_vtx_plan: can't add span into {}.",
                         graph.Name(v));
    }
    if (!parts.insert(v).second) {
      bookings.plans.RemoveSpan(v, *span);
      return fmt::format("{} is there twice", graph.Path(v));
    }
    Booking booking{v};
    booking.plan = *span;
    job.bookings.Add(booking);
    for (VertexIndex up = v; up != kNoVertex; up = graph.parent(up)) {
      bookings.log.Add({up, false, up == v});
    }
    ++(job.reserved ? bookings.reservations : bookings.allocations)[v];
  }
  return "";
}

Match Matcher::Restore(JobId id, const HeldParts& held, bool reserved, Time at,
                       Time duration) {
  State& state = *state_;
  Match refused;
  refused.outcome = MatchOutcome::kInvalid;
  if (state.jobs.contains(id)) {
    refused.error = "existing Jobid";
    return refused;
  }
  if (at < 0 || duration < 1) {
    refused.error = fmt::format("invalid time ({}, {})", at, duration);
    return refused;
  }
  state.match = Match{};
  state.match.outcome =
      reserved ? MatchOutcome::kReserved : MatchOutcome::kAllocated;
  state.match.at = at;
  state.match.duration = duration;
  state.request = nullptr;
  state.now = 0;
  state.job_id = id;
  const Time end = duration > kForever - at ? kForever : at + duration;
  state.job = State::Job{reserved, false, at, end, {}};
  refused.error = state.BookHeld(held);
  if (!refused.error.empty()) {
    state.Release(id, state.job);
    return refused;
  }
  state.selection.Begin();
  for (const HeldEdge& edge : held.edges) {
    state.selection.MarkEdge(edge.edge, edge.units, edge.exclusive);
    // The walk takes all of such a node, also what no part names.
    if (edge.edge == kNoEdge || !state.options.policy.node_exclusive) continue;
    const VertexIndex v = state.graph.target(edge.edge);
    if (state.graph.type(v) == types::kNode) state.UncoverAround(v);
  }
  state.restored =
      std::exchange(state.job, State::Job{reserved, false, at, end, {}});
  Match made = state.Walk(State::Mode::kRestore);
  for (const Booking& booking : state.restored.bookings) {
    state.job.bookings.Add(booking);
  }
  state.Keep(id);
  state.CountLoose(id, state.jobs.at(id));
  return made;
}

}  // namespace fluxnetes::matcher
