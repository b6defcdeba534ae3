// The waiting groups that may not start yet, or not any more, by what people
// said of them (start_labels.h, hold.h):
//
//   held          ─▶ out of the schedule until its row says otherwise; then it
//                    is read again
//   start-after   ─▶ kept here until then; its pods are told why
//   start-by      ─▶ no place that is found then or later is taken: the group
//                    is about to be given up (late_starts.h)
//
// What is kept here is in the database as it was: a group that waits, by its
// match job. So nothing is lost with the process. The time is that of the
// schedule.
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

class HoldLine {
 public:
  explicit HoldLine(const cluster::ClusterCache& cache) : cache_(cache) {}

  // The group waits. Returned if it may start now.
  std::optional<PendingGroup> Put(PendingGroup group, matcher::Time now);
  // It waits no longer, or is to be read again.
  void Remove(GroupId group);
  void Clear();

  // Those that may start now, so many at most, to be added.
  std::vector<PendingGroup> TakeDue(Schedule& schedule, matcher::Time now,
                                    int limit);
  // The last call left some for their number.
  bool More() const { return more_; }
  // When there is next something to take, after that time.
  std::optional<matcher::Time> NextDue(matcher::Time after) const;

  // Takes those out of the decision whose time to start is over, and gives
  // their places back.
  void HoldBack(Decision& decision, Schedule& schedule, matcher::Time now);

  // What is to be written about groups, since the last call. Where the decision
  // says something of a group too, why it is kept here goes first.
  void AddVerdicts(Decision& decision);

 private:
  const cluster::ClusterCache& cache_;
  std::map<GroupId, PendingGroup> kept_;             // until start_after
  std::set<std::pair<matcher::Time, GroupId>> due_;  // the same
  std::map<GroupId, matcher::Time> start_by_;        // also of others
  std::map<GroupId, Verdict> verdicts_;
  bool more_ = false;
};

}  // namespace fluxnetes::workers
