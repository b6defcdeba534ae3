// Preemption: groups that run are evicted, whole, so that one that waits can
// start. Which ones is decided here, as a plan; that they are deleted, and how,
// is cleanup's concern.
//
// The fewest victims are looked for: first one group alone, the lowest in
// priority, of equal ones the last that started; so many of those whose places
// could be enough are tried as kTrials says. Then the first few in this order
// that make room together, found by halving, without those on other nodes and
// without those whose places are not needed, the highest and longest running
// spared first. If these are more than two, or more than three, twos and threes
// of those that leave most (kLargest) are tried instead, in the same order. Of
// four and more it is not always the smallest set; but nobody in it can be left
// out.
//
// What proves that it fits is a plan in the graph itself in which the victims
// end when their grace period is over and all that is promised before it
// stands. Groups that have outlived an assumed duration are taken to stay in
// it: that they may end at any moment is no reason to evict others for nothing.
//
// What was lent of the own quota (quotas.h) is taken back in the same way. That
// needs no lower priority, but the group must be within its own quota and all
// above, with what is promised to those before it, once the victims are gone.
// If it is only refused for quota, it is promised nodes from then on.
//
//   nobody is evicted   if it would start by then anyway,
//                       or would have been given up by then (start_by),
//                       or if a group that stands before it would have the
//                       better of it, or too many might to look at them all
//
// Owned by one thread.
#pragma once

#include <optional>
#include <vector>

#include "workers/decision/queue_settings.h"
#include "workers/pending/reservation_plan.h"

namespace fluxnetes::workers {

// Whether a group may be evicted for one that waits, if what it holds is `lent`
// to it or not: the only place that knows for what reasons. By what elastic
// groups have grown they make room for all others, whatever queues say.
bool MayBeVictim(const Held& held, const WaitingGroup& preemptor,
                 Preemption preemption, bool lent);

// Takes groups that have outlived what is assumed of them to stay, until it
// goes.
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

// A group that stands before the preemptor, and what it is promised; what that
// is is booked.
struct StandsBefore {
  const WaitingGroup* group = nullptr;
  std::optional<ReservedNodes> reserved;
};

// Why it does not start.
enum class Lack { kRoom, kQuota };

struct EvictionPlan {
  std::vector<GroupId> victims;
  ReservedNodes reserved;  // of the preemptor: booked
};

// Of groups other than those by which elastic ones have grown, those that
// `preemption` says; for want of quota only who was lent it.
//
// Nothing that is promised to the group or to those behind it is booked. The
// victims of a plan end in the graph as they will; without a plan it is as it
// was.
std::optional<EvictionPlan> PlanEviction(
    ScheduleGraph& graph, const Quotas& quotas, const WaitingGroup& group,
    Lack lack, Preemption preemption, matcher::Time now, const Ahead& ahead,
    const std::vector<StandsBefore>& before);

}  // namespace fluxnetes::workers
