// Preemption: running groups are evicted, whole, so that a waiting one can
// start. Which ones is decided here, as a plan; that they are deleted, and how,
// is cleanup's concern.
//
// The fewest victims are sought. First one group alone: the lowest priority
// first, among equals the last that started; kTrials of those whose nodes could
// be enough, inside of them too, are tried. Then the first few groups in this
// order that make room together, found by halving. Groups on other nodes, or
// whose places are not needed, are spared, the highest and longest running
// first. If these are more than two (three), pairs (triples) of those that free
// most (kLargest) are tried instead, in the same order. A set of four or more
// may not be the smallest, but no group in it can be left out.
//
// That the group fits is proved by a plan in the graph itself, in which the
// victims end when their grace period is over and all reservations ahead of the
// group stand. A group that has outlived its assumed duration counts as
// staying: that it may end at any moment is no reason to evict others.
//
// Quota of the group that was lent (quotas.h) is taken back in the same way.
// That needs no lower priority, but once the victims are gone the group must be
// within its own quota and those above it, with the claims of groups ahead. If
// the group is only refused for quota, it gets a reservation from then on.
//
//   nothing is evicted   if the group would start by then anyway,
//                        or would have been given up by then (start_by),
//                        or if a group ahead would take the place, or too many
//                        might to look at them all
//
// Owned by one thread.
// Tests: tests/workers/schedule/preemption_test.cc,
// tests/workers/schedule/preemption_places_test.cc,
// tests/workers/schedule/preemption_inside_test.cc.
#pragma once

#include <optional>
#include <vector>

#include "workers/decision/queue_settings.h"
#include "workers/pending/reservation_plan.h"

namespace fluxnetes::workers {

// Whether a group may be evicted for a waiting one, depending on whether what
// it holds is `lent` to it: the only place that knows the reasons. Pods by
// which elastic groups have grown make room for all others, whatever the
// queue's settings are.
bool MayBeVictim(const Held& held, const WaitingGroup& preemptor,
                 Preemption preemption, bool lent);

// While it lives, groups that have outlived an assumed duration are taken to
// stay.
class Overstayers {
 public:
  Overstayers(ScheduleGraph& graph, matcher::Time now);
  ~Overstayers();
  Overstayers(const Overstayers&) = delete;
  Overstayers& operator=(const Overstayers&) = delete;

 private:
  ScheduleGraph& graph_;
  std::vector<GroupId> groups_;
};

// A group ahead of the preemptor, and what is kept for it, which is booked.
struct StandsBefore {
  const WaitingGroup* group = nullptr;
  std::optional<ReservedNodes> reserved;
};

// What a group that does not start lacks.
enum class Lack { kRoom, kQuota };

struct EvictionPlan {
  std::vector<GroupId> victims;
  ReservedNodes reserved;  // for the preemptor; booked
};

// Looks for victims: pods by which elastic groups have grown, and of the others
// those that `preemption` allows; for want of quota only borrowers of it.
//
// The caller has withdrawn what is kept for the group and for those behind it.
// The victims of a plan end in the graph when they will; without a plan the
// graph is as it was.
std::optional<EvictionPlan> PlanEviction(
    ScheduleGraph& graph, const Quotas& quotas, const WaitingGroup& group,
    Lack lack, Preemption preemption, matcher::Time now, const Ahead& ahead,
    const std::vector<StandsBefore>& before);

}  // namespace fluxnetes::workers
