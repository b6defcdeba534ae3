// Evictions in the graph: see schedule_graph.h.
#include <algorithm>

#include "workers/graph/schedule_graph.h"

namespace fluxnetes::workers {

bool ScheduleGraph::AnyHeldBelow(std::int64_t priority) const {
  return !ranks_.empty() && ranks_.begin()->first < priority;
}

std::vector<const Held*> ScheduleGraph::HeldBelow(std::int64_t priority) const {
  std::vector<const Held*> held;
  for (const auto& [rank, groups] : ranks_) {
    if (rank >= priority) break;
    for (const GroupId group : groups)
      held.push_back(&holdings_.at(group).held);
  }
  return held;
}

void ScheduleGraph::SetEnd(GroupId group, std::optional<matcher::Time> end) {
  Holding& holding = holdings_.at(group);
  graph_.Cancel(group);
  holding.held.end = end;
  Book(holding);
}

void ScheduleGraph::NoteEvicted(GroupId group, GroupId preemptor) {
  Held& held = holdings_.at(group).held;
  held.evictable = false;
  held.evicted_for = preemptor;
  evicted_for_[preemptor].insert(group);
  touched_.push_back(group);
}

std::optional<matcher::Time> ScheduleGraph::EvictedUntil(
    GroupId preemptor) const {
  const auto found = evicted_for_.find(preemptor);
  if (found == evicted_for_.end()) return std::nullopt;
  matcher::Time until = 0;
  for (const GroupId group : found->second)
    until = std::max(until, PlannedEnd(holdings_.at(group).held));
  return until;
}

std::vector<GroupId> ScheduleGraph::Overstaying(matcher::Time now) const {
  std::vector<GroupId> groups;
  if (assumed_.empty()) return groups;
  for (const auto& [group, holding] : holdings_) {
    if (!holding.held.end && PlannedEnd(holding.held) <= now)
      groups.push_back(group);
  }
  std::sort(groups.begin(), groups.end());
  return groups;
}

std::uint64_t ScheduleGraph::Ground(std::int32_t priority) const {
  std::uint64_t last = moved_;
  for (const auto& [rank, move] : came_)
    if (rank < priority) last = std::max(last, move);
  for (const auto& [rank, move] : went_)
    if (rank >= priority) last = std::max(last, move);
  return last;
}

}  // namespace fluxnetes::workers
