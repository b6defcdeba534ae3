// The gate for groups that may not start yet, or not any more, by what users
// asked for (start_labels.h, hold.h):
//
//   held          ─▶ out of the schedule until its row says otherwise; then it
//                    is read again
//   start-after   ─▶ kept here until then; its pods get the reason
//   start-by      ─▶ after it no placement is accepted: the group is about to
//                    be given up (start_by_deadlines.h)
//
// The time is that of the schedule. The database still has what is kept here as
// a waiting group with a match job, so nothing is lost with the process.
//
// Owned by one thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "cluster/cluster_cache.h"
#include "workers/decision/decision.h"
#include "workers/schedule/schedule.h"

namespace fluxnetes::workers {

class HoldGate {
 public:
  explicit HoldGate(const cluster::ClusterCache& cache) : cache_(cache) {}

  // Puts a waiting group. Returns it if it may start now.
  std::optional<PendingGroup> Put(PendingGroup group, matcher::Time now);
  // Removes a group that waits no longer, or is to be read again.
  void Remove(GroupId group);
  void Clear();

  // Takes the groups that may start now, at most `limit`.
  std::vector<PendingGroup> TakeDue(Schedule& schedule, matcher::Time now,
                                    int limit);
  // Whether the last call left some for its limit.
  bool More() const { return more_; }
  // Returns when a group may start next, after that time.
  std::optional<matcher::Time> NextDue(matcher::Time after) const;

  // Takes placements of groups whose time to start is over out of the decision,
  // and releases them.
  void HoldBack(Decision& decision, Schedule& schedule, matcher::Time now);

  // Adds the verdicts on groups since the last call. Where the decision has one
  // on a group, too, the reason why it is kept here takes precedence.
  void AddVerdicts(Decision& decision);

 private:
  const cluster::ClusterCache& cache_;
  std::map<GroupId, PendingGroup> kept_;             // until start_after
  std::set<std::pair<matcher::Time, GroupId>> due_;  // the same
  // Also of groups that are not kept.
  std::map<GroupId, matcher::Time> start_by_;
  std::map<GroupId, Verdict> verdicts_;
  bool more_ = false;
};

}  // namespace fluxnetes::workers
