// What a head is promised: nodes at a time, booked in the graph, or a drain
// set. How they are chosen stands in schedule.h.
//
// Owned by one thread.
#pragma once

#include <optional>
#include <vector>

#include "matcher/gangs/gang.h"
#include "matcher/gangs/room_log.h"
#include "matcher/gangs/shortfall.h"
#include "workers/graph/schedule_graph.h"
#include "workers/pending/pending_line.h"

namespace fluxnetes::workers {

struct Promise {
  std::optional<matcher::Time> start;      // nothing: a drain set
  std::vector<matcher::NodeIndex> nodes;   // each once, in order
  std::vector<matcher::NodeIndex> places;  // of the tasks, if there is a time
  bool overdue = false;  // a drain set of nodes that were promised for a time
  bool operator==(const Promise&) const = default;
};

// The number of the Fluxion job that holds what a group is promised: unlike
// that of any group, since it may hold something already.
inline matcher::JobId PromiseJob(GroupId group) { return -1 - group; }

// A gang that may use some nodes only, or all but some.
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

// What stands against a head: promises to heads before it.
struct Ahead {
  std::vector<matcher::NodeIndex> drained;
  std::vector<matcher::NodeIndex> chosen;  // of these, by sets that are not due
  std::vector<matcher::NodeIndex> reserved;
};

struct HeadPlan {
  std::optional<Promise> promise;  // nothing: none can be given
  bool fits_now = false;
  matcher::Shortfall shortfall = {};  // of times before, as far as it is known
};

// A group that does not fit at `now` and the promise that it had, if any; that
// one must not be booked any more. What is returned is booked. If it
// `may_drain`, it gets a drain set where no time can be given.
HeadPlan PlanHead(ScheduleGraph& graph, const WaitingGroup& group,
                  matcher::Policy policy, matcher::Time now, const Ahead& ahead,
                  const std::optional<Promise>& before, bool may_drain = true);

// Only a promise of a time before `before`. What is returned is booked.
HeadPlan PlanBetter(ScheduleGraph& graph, const WaitingGroup& group,
                    matcher::Policy policy, matcher::Time now,
                    const Ahead& ahead, matcher::Time before);

// The same for a group with such a promise, which is booked: it is booked anew
// only where there is a better one.
HeadPlan MoveEarlier(ScheduleGraph& graph, const WaitingGroup& group,
                     matcher::Policy policy, matcher::Time now,
                     const Ahead& ahead, const Promise& before);

// Whether rules of the gang's pods look at where others are.
bool LooksAtOthers(const ScheduleGraph& graph, const matcher::Gang& gang);

// A promise of a time from `from` on, which is after `now`, at the places that
// the group would get first. What is returned is booked.
std::optional<Promise> PlanFrom(ScheduleGraph& graph, const WaitingGroup& group,
                                matcher::Policy policy, matcher::Time now,
                                const Ahead& ahead, matcher::Time from);

// Whether it is booked again with each pod where it was to be: its places are
// known, and no rules of pods would have to be looked at. Else on its nodes.
bool HasItsPlaces(const ScheduleGraph& graph, const WaitingGroup& group,
                  const Promise& promise);

// Books the promise again if it is one of a time to come and can still be kept.
bool Rebook(ScheduleGraph& graph, const WaitingGroup& group,
            matcher::Policy policy, matcher::Time now,
            std::optional<Promise>& promise);

// Sorted.
std::vector<matcher::NodeIndex> EachOnce(std::vector<matcher::NodeIndex> nodes);

// Of a time, with the places of the tasks.
Promise PromiseOf(matcher::Time start, std::vector<matcher::NodeIndex> places);

// What is free again without the promise to the gang.
matcher::RoomChange RoomOf(const Promise& promise, const matcher::Gang& gang);

// Books a promise of a time that is not booked.
void BookPromise(ScheduleGraph& graph, const WaitingGroup& group,
                 const Promise& promise);

}  // namespace fluxnetes::workers
