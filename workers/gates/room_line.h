// The waiting groups that want more free in the cluster, before any of them
// starts, than their pods ask for: spec.minResources of a coscheduling
// PodGroup, for groups that grow beyond minMember. As long as the open nodes of
// their queue do not have so much free in sum, they are kept here, out of the
// schedule, and their pods are told why. (The coscheduling plugin does the same
// in PreFilter. What a PodGroup says counts as it is when its group begins to
// wait.) A group that holds something already is not kept, nor is one for which
// others are evicted: they would have gone for nothing.
//
// What is kept here is in the database as it was: a group that waits, by its
// match job. So nothing is lost with the process.
//
// A look costs a pass over the nodes for each queue that has such groups, and
// nothing where there are none.
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

class RoomLine {
 public:
  explicit RoomLine(const cluster::ClusterCache& cache) : cache_(cache) {}

  // The group waits. Returned if it wants no more than its pods ask for; else
  // it is kept until the next LookAgain(), which judges all of them in one
  // pass.
  std::optional<PendingGroup> Put(PendingGroup group, const Schedule& schedule);
  // It waits no longer, or is to be read again.
  void Remove(GroupId group) { wishes_.erase(group); }
  void Clear();

  // Takes those out of the schedule that lack room now, and returns those that
  // have it now, to be added.
  std::vector<PendingGroup> LookAgain(Schedule& schedule, matcher::Time now);

  // Of groups that the decision has placed together: those that had no room
  // once the ones before them were placed are taken out of it, and their places
  // given back. Those for which it evicts others are kept no more.
  void HoldBack(Decision& decision, Schedule& schedule, matcher::Time now);

  // What is to be written about groups, since the last call. Where the decision
  // says something of a group too, why it is kept here goes first.
  void AddVerdicts(Decision& decision);

 private:
  struct Wish {
    PendingGroup group;
    cluster::Resources room;
    bool kept = true;
    bool said = false;  // that it is, since it was put here
  };
  // What is free now, by queue, read when it is asked for.
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
