// The gate for groups whose pods use PersistentVolumeClaims. A group whose
// claims cannot be had yet (pod_claims.h) is kept here, and its pods get the
// reason; the others are in the schedule, with what their claims ask of nodes.
// Both are looked at again when one of their claims changes.
//
// A claim that one pod alone may use at a time (ReadWriteOncePod) is in use
// from when its pod has a node. If two groups that want it are placed at once,
// the first one gets it.
//
// The database still has what is kept here as a waiting group with a match job,
// so nothing is lost with the process.
//
// Owned by one thread.
// Tests: tests/workers/gates/claims_pgtest.cc.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "cluster/cluster_cache.h"
#include "workers/decision/decision.h"
#include "workers/schedule/schedule.h"

namespace fluxnetes::workers {

class VolumeClaimGate {
 public:
  explicit VolumeClaimGate(const cluster::ClusterCache& cache)
      : cache_(cache) {}

  // Puts a waiting group. Returns it if it can be matched now, with the
  // requests of its members as their claims have them.
  std::optional<PendingGroup> Put(PendingGroup group, Schedule& schedule);
  // Removes a group that waits no longer, or is to be read again.
  void Remove(GroupId group);
  void Clear();

  // Notes that these claims have changed.
  void Note(const std::vector<std::string>& claims);
  // Takes the groups that use changed claims out of the schedule, if they are
  // in it, and returns those that can be matched now, to be added.
  std::vector<PendingGroup> LookAgain(Schedule& schedule);

  // Takes groups for which a claim is missing now out of the decision, and
  // releases them.
  void HoldBack(Decision& decision, Schedule& schedule);

  // Adds the verdicts on groups since the last call. Where the decision has one
  // on a group, too, the reason why it is kept here takes precedence.
  void AddVerdicts(Decision& decision);

  std::size_t kept() const { return kept_.size(); }

 private:
  struct Obstacle {
    std::string why;  // empty: none
    std::string member;
  };

  bool AllAreKnown(const PendingGroup& group) const;
  // Rebuilds the requests of the members, up to the first obstacle.
  Obstacle Look(PendingGroup& group, Schedule& schedule) const;
  // Returns a pod of another group that has the claim now; empty: none.
  std::string WhoUses(const PendingGroup& group, const cluster::Pod& pod,
                      const std::string& claim, const Schedule& schedule) const;
  // Notes the groups that want those of the claims that one pod alone may use.
  void NoteRivals(const std::vector<std::string>& claims);
  void Keep(PendingGroup group, const Obstacle& obstacle);
  void Say(const PendingGroup& group, const Obstacle& obstacle);

  const cluster::ClusterCache& cache_;
  std::map<GroupId, std::vector<std::string>> claims_of_;
  std::unordered_map<std::string, std::set<GroupId>> groups_of_;  // by claim
  std::map<GroupId, PendingGroup> kept_;
  std::map<GroupId, PendingGroup> matched_;  // in the schedule
  std::set<GroupId> noted_;
  std::map<GroupId, Verdict> verdicts_;
};

}  // namespace fluxnetes::workers
