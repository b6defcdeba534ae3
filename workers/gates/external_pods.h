// The pods that others started on the places which they had asked for
// (external_groups.h): such a pod uses what its group has on its node, and
// counts no more beside it. It belongs to the group of its namespace that has
// its name, or that of its own group (group_labels.h). One that asks for more
// than its place, or is more than there are places, counts like any pod of
// others.
//
// Owned by one thread.
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

  // A group waits, is placed, holds places; nothing if it is not external.
  void Put(const PendingGroup& group);
  void Put(const Held& held);
  // True if it is one of these: then its nodes are to be looked at.
  bool Place(const Placed& placed);
  bool Remove(GroupId group);  // the same
  void Clear();

  // The places on a node, taken by one pod after the other.
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
  std::multimap<std::string, GroupId> on_node_;  // each once
};

}  // namespace fluxnetes::workers
