// The gate for groups whose coscheduling PodGroup asks for more free room
// (spec.minResources) than their pods request, so that the group can grow
// beyond minMember. As long as the open nodes of their queue do not
// have that free in sum, they are kept here, and their pods get the reason.
// (The coscheduling plugin does the same in PreFilter. A PodGroup counts as it
// is when its group begins to wait.) A group that holds something already is
// not kept, nor is one for which others are evicted: that would be in vain.
//
// A look costs a pass over the nodes for each queue that has such groups, and
// nothing where there are none.
//
// The database still has what is kept here as a waiting group with a match job,
// so nothing is lost with the process.
//
// Owned by one thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cluster/cluster_cache.h"
#include "workers/decision/decision.h"
#include "workers/schedule/schedule.h"

namespace fluxnetes::workers {

class MinResourcesGate {
 public:
  explicit MinResourcesGate(const cluster::ClusterCache& cache)
      : cache_(cache) {}

  // Puts a waiting group. Returns it if it wants no more than its pods ask for;
  // else it is kept until the next LookAgain(), which judges all of them in one
  // pass.
  std::optional<PendingGroup> Put(PendingGroup group, const Schedule& schedule);
  // Removes a group that waits no longer, or is to be read again.
  void Remove(GroupId group) { wishes_.erase(group); }
  void Clear();

  // Takes groups that lack room now out of the schedule, and returns those that
  // have it now, to be added.
  std::vector<PendingGroup> LookAgain(Schedule& schedule, matcher::Time now);

  // Takes groups that had no room once those placed before them were placed out
  // of the decision, and releases them. A group for which the decision evicts
  // others is kept no more.
  void HoldBack(Decision& decision, Schedule& schedule, matcher::Time now);

  // Adds the verdicts on groups since the last call. Where the decision has one
  // on a group, too, the reason why it is kept here takes precedence.
  void AddVerdicts(Decision& decision);

 private:
  struct Wish {
    PendingGroup group;
    cluster::Resources room;
    bool kept = true;
    bool said = false;  // the reason was reported since it was put here
  };
  // What is free now, by queue; computed when it is first asked for.
  struct Rooms {
    const Schedule& schedule;
    matcher::Time now = 0;
    std::map<std::string, cluster::Resources> rooms = {};
    cluster::Resources& Of(const std::string& queue);
  };

  std::optional<Wish> WishOf(const PendingGroup& group) const;
  void Keep(Wish& wish);
  const cluster::ClusterCache& cache_;
  std::map<GroupId, Wish> wishes_;
  std::map<GroupId, Verdict> verdicts_;
};

}  // namespace fluxnetes::workers
