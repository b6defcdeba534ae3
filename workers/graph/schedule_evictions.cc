// Evictions in the graph: see schedule_graph.h.
#include <algorithm>

#include "workers/graph/schedule_graph.h"

namespace fluxnetes::workers {

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
  evictions_.NoteEvicted(group, preemptor);
  holdings_.Touch(group);
}

std::optional<matcher::Time> ScheduleGraph::EvictedUntil(
    GroupId preemptor) const {
  std::optional<matcher::Time> until;
  for (const GroupId group : evictions_.EvictedFor(preemptor))
    until = std::max(until.value_or(0), PlannedEnd(holdings_.at(group).held));
  return until;
}

std::vector<GroupId> ScheduleGraph::Overstaying(matcher::Time now) const {
  std::vector<GroupId> groups;
  if (assumed_.empty()) return groups;
  for (const auto& [group, holding] : holdings_.by_group()) {
    if (!holding.held.end && PlannedEnd(holding.held) <= now)
      groups.push_back(group);
  }
  std::sort(groups.begin(), groups.end());
  return groups;
}

}  // namespace fluxnetes::workers
