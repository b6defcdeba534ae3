// The scheduling gates: conditions that keep waiting groups out of the
// schedule, as spec.schedulingGates keep pods from a scheduler. A group passes
// them one after the other:
//
//   waiting group
//     │  CallerGate        notes groups whose callers wait for the answer
//     ▼
//   HoldGate               held by a user, or not before its start-after
//     ▼
//   MinResourcesGate       its PodGroup wants more free than its pods ask for
//     ▼
//   VolumeClaimGate        its volume claims cannot be had yet
//     ▼
//   schedule
//
// Gates also review decisions: the time to start may be over, and room or a
// claim may have gone to a group placed before. They report why groups do not
// pass, which takes precedence over what the schedule reports of them.
//
// The database still has what gates keep, as waiting groups with match jobs, so
// nothing is lost with the process.
//
// Owned by one thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cluster/cluster_cache.h"
#include "workers/gates/caller_gate.h"
#include "workers/gates/hold_gate.h"
#include "workers/gates/min_resources_gate.h"
#include "workers/gates/volume_claim_gate.h"

namespace fluxnetes::workers {

class SchedulingGates {
 public:
  // Called at once for each group that has passed all gates: it is to be added
  // to the schedule.
  using Pass = std::function<void(PendingGroup)>;

  // Without `answers` callers get none, as in a forecast.
  SchedulingGates(const cluster::ClusterCache& cache, bool answers, Pass pass)
      : answers_(answers),
        pass_(std::move(pass)),
        hold_(cache),
        min_resources_(cache),
        claims_(cache) {}

  // Puts a waiting group before the first gate, in place of what is known of
  // it.
  void Put(PendingGroup group, Schedule& schedule, matcher::Time now);
  // Removes a group that waits no longer, or is to be read again.
  void Remove(GroupId group);
  void Clear();

  // Notes that these claims have changed.
  void NoteClaims(const std::vector<std::string>& claims) {
    claims_.Note(claims);
  }
  // Looks again at the groups that the gates keep. Of those that become due, at
  // most `limit`; More() says whether some were left for that.
  void LookAgain(Schedule& schedule, matcher::Time now, int limit);
  bool More() const { return hold_.More(); }
  // Returns when a group becomes due next, after that time.
  std::optional<matcher::Time> NextDue(matcher::Time after) const {
    return hold_.NextDue(after);
  }

  // Takes placements that gates do not let pass out of the decision, and
  // releases them; answers callers; adds verdicts why groups do not pass.
  void Review(Decision& decision, Schedule& schedule, matcher::Time now);

 private:
  void PutUnheld(PendingGroup group, Schedule& schedule);
  void PutClaims(PendingGroup group, Schedule& schedule);

  const bool answers_;
  const Pass pass_;
  HoldGate hold_;
  MinResourcesGate min_resources_;
  VolumeClaimGate claims_;
  CallerGate callers_;
};

}  // namespace fluxnetes::workers
