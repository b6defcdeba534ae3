// Looks for the nodes to keep for a blocked group: at its earliest start beside
// all that is booked ahead of it, or, where nothing that runs there has a known
// end, a drain set. How a drain set is chosen stands in schedule.h.
//
// What a function returns is booked in the graph if it has a start.
//
// Owned by one thread.
// Tests: tests/workers/schedule/schedule_blocked_test.cc.
#pragma once

#include <optional>
#include <vector>

#include "matcher/gangs/gang.h"
#include "matcher/nodes/shortfall.h"
#include "workers/graph/schedule_graph.h"
#include "workers/pending/pending_line.h"
#include "workers/pending/reserved_nodes.h"

namespace fluxnetes::workers {

// The number under which the graph books what is reserved for a group: unlike
// that of any group, since the group may hold an allocation already.
inline matcher::JobId ReservationJob(GroupId group) { return -1 - group; }

// A gang that may use some nodes only, or all but some nodes and pools.
class NarrowedGang {
 public:
  static NarrowedGang Without(const matcher::Gang& gang,
                              const std::vector<matcher::NodeIndex>& nodes);
  static NarrowedGang On(const matcher::Gang& gang,
                         const std::vector<matcher::NodeIndex>& nodes);
  // The gang points into this object, which a copy would not follow.
  NarrowedGang(const NarrowedGang&) = delete;
  NarrowedGang& operator=(const NarrowedGang&) = delete;
  NarrowedGang(NarrowedGang&&) = default;

  const matcher::Gang& gang() const { return gang_; }

 private:
  explicit NarrowedGang(const matcher::Gang& gang);
  void Point();

  matcher::Gang gang_;
  std::vector<matcher::NodeSet> sets_;
};

// The nodes kept for the blocked groups ahead of a group.
struct Ahead {
  std::vector<matcher::NodeIndex> drained;
  std::vector<matcher::NodeIndex> chosen;  // of these, by sets not overdue
  std::vector<matcher::NodeIndex> reserved;
};

struct ReservationPlan {
  std::optional<ReservedNodes> reserved;  // none: there is nothing to keep
  bool fits_now = false;
  matcher::Shortfall shortfall = {};  // of starts before, as far as it is known
};

// Plans for a group that does not fit at `now`. `before` is what was kept for
// it, if anything, and is not booked any more. If the group `may_drain`, it
// gets a drain set where no start is known.
ReservationPlan PlanReservation(ScheduleGraph& graph, const WaitingGroup& group,
                                matcher::Policy policy, matcher::Time now,
                                const Ahead& ahead,
                                const std::optional<ReservedNodes>& before,
                                bool may_drain = true);

// Plans a start before `before`, or finds nothing.
ReservationPlan PlanEarlier(ScheduleGraph& graph, const WaitingGroup& group,
                            matcher::Policy policy, matcher::Time now,
                            const Ahead& ahead, matcher::Time before);

// The same for a group whose reservation `before` is booked, and stays booked
// where no earlier start is found.
ReservationPlan MoveEarlier(ScheduleGraph& graph, const WaitingGroup& group,
                            matcher::Policy policy, matcher::Time now,
                            const Ahead& ahead, const ReservedNodes& before);

// Whether rules of the gang's pods look at where other pods are.
bool LooksAtOthers(const ScheduleGraph& graph, const matcher::Gang& gang);

// Plans a start at `from`, which is after `now`, or later, at the places that
// are the first to be free.
std::optional<ReservedNodes> PlanFrom(ScheduleGraph& graph,
                                      const WaitingGroup& group,
                                      matcher::Policy policy, matcher::Time now,
                                      const Ahead& ahead, matcher::Time from);

// Whether Rebook() books each pod at the place that it had: the places are
// known, and no rules of pods have to be looked at. Else any of its nodes do.
bool HasItsPlaces(const ScheduleGraph& graph, const WaitingGroup& group,
                  const ReservedNodes& reserved);

// Books the nodes again for their start if that is still to come and they can
// be kept. The start may become earlier, and places may change among the nodes.
bool Rebook(ScheduleGraph& graph, const WaitingGroup& group,
            matcher::Policy policy, matcher::Time now,
            std::optional<ReservedNodes>& reserved);

// Books nodes with a start that are not booked.
void BookNodes(ScheduleGraph& graph, const WaitingGroup& group,
               const ReservedNodes& reserved);

}  // namespace fluxnetes::workers
