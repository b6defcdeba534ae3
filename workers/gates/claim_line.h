// The waiting groups whose pods use PersistentVolumeClaims. A group whose
// claims cannot be had yet (pod_claims.h) is kept here, out of the schedule,
// and its pods are told why; the others are in the schedule, with what their
// claims ask of nodes. Both are looked at again when one of their claims
// changes.
//
// A claim that one pod alone may use at a time (ReadWriteOncePod) is in use
// from when its pod has a place. Of two groups that are placed at once and want
// it, the first one has it.
//
// What is kept here is in the database as it was: a group that waits, by its
// match job. So nothing is lost with the process.
//
// Owned by one thread.
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

class ClaimLine {
 public:
  explicit ClaimLine(const cluster::ClusterCache& cache) : cache_(cache) {}

  // The group waits. Returned, if it can be matched now, with the requests of
  // its members as their claims have them.
  std::optional<PendingGroup> Put(PendingGroup group, Schedule& schedule);
  // It waits no longer, or is to be read again.
  void Remove(GroupId group);
  void Clear();

  // These claims have changed.
  void Note(const std::vector<std::string>& claims);
  // Takes the groups that use them out of the schedule, if they are in it, and
  // returns those that can be matched now, to be added.
  std::vector<PendingGroup> LookAgain(Schedule& schedule);

  // Of groups that the decision has placed together: those for which a claim is
  // missing now are taken out of it, and their places given back.
  void HoldBack(Decision& decision, Schedule& schedule);

  // What is to be written about groups, since the last call. Where the decision
  // says something of a group too, why it is kept here goes first.
  void AddVerdicts(Decision& decision);

  std::size_t kept() const { return kept_.size(); }

 private:
  struct Obstacle {
    std::string why;  // empty: none
    std::string member;
  };

  bool AllAreKnown(const PendingGroup& group) const;
  // Makes the requests of its members anew, up to the obstacle.
  Obstacle Look(PendingGroup& group, Schedule& schedule) const;
  // A pod of another group that has the claim now; empty: none.
  std::string WhoUses(const PendingGroup& group, const cluster::Pod& pod,
                      const std::string& claim, const Schedule& schedule) const;
  // The groups of those of the claims that are for one pod alone.
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
