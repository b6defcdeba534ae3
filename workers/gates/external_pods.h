// Matches pods that callers started themselves with the external groups
// (external_groups.h) that they asked for: such a pod uses what its group holds
// on its node and is not charged again. A pod belongs to the group of its
// namespace that has the pod's name, or the name of the pod's group
// (group_labels.h). A pod that asks for more than a place of the group, or
// finds none left, is charged like any pod of another scheduler.
//
// Owned by one thread.
// Tests: tests/invariants/behaviour/behaviour_external_pgtest.cc.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cluster/cluster_cache.h"
#include "workers/decision/decision.h"
#include "workers/schedule/schedule.h"

namespace fluxnetes::workers {

class ExternalPods {
 public:
  explicit ExternalPods(const cluster::ClusterCache& cache) : cache_(cache) {}

  // Records a waiting group, or one with an allocation; ignores it if it is not
  // external.
  void Put(const PendingGroup& group);
  void Put(const Held& held);
  // Returns true if the group is external: its nodes must then be counted
  // again.
  bool Place(const Placed& placed);
  bool Remove(GroupId group);  // true: as Place()
  void Clear();

  // The places of external groups on one node; each pod takes one.
  class Places {
   public:
    bool Take(const cluster::Pod& pod);

   private:
    friend class ExternalPods;
    using Names = std::pair<std::string, std::string>;  // namespace, group
    std::multimap<Names, const cluster::PodRequest*> free_;
    const cluster::ClusterCache* cache_ = nullptr;
  };
  Places On(const std::string& node) const;

 private:
  struct Group {
    Places::Names name;
    std::vector<PlacedMember> members;
  };

  const cluster::ClusterCache& cache_;
  std::map<GroupId, Group> groups_;
  std::multimap<std::string, GroupId> on_node_;  // each group once per node
};

}  // namespace fluxnetes::workers
