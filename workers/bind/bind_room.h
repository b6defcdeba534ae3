// Checks whether the nodes of groups that are about to be bound still have
// room: since the match a pod of another scheduler may have been bound to a
// node, or the node may have shrunk.
//
// It counts the pods that the cache shows on a node. The match counts at least
// as much for them, so a group that is sent back does not get the same node
// again. Placements of other groups that are not bound yet are not counted:
// those groups are checked when they are bound.
//
// Owned by one thread.
// Tests: tests/invariants/behaviour/behaviour_pgtest.cc.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "cluster/cluster_cache.h"

namespace fluxnetes::workers {

class BindRoom {
 public:
  explicit BindRoom(const cluster::ClusterCache& cache) : cache_(cache) {}

  // Adds a pod that is about to be bound, of the group with this number. Groups
  // take room in the order of their numbers: if not all fit, the last ones do
  // not.
  void Add(std::size_t group, const cluster::Pod& pod, const std::string& node);

  // Returns the groups that have no room, each with the node that is full.
  std::map<std::size_t, std::string> Crowded();

 private:
  using Amounts = std::map<std::string, cluster::Resources>;  // by node

  Amounts Used(const Amounts& nodes) const;

  const cluster::ClusterCache& cache_;
  std::map<std::size_t, Amounts> wishes_;
};

}  // namespace fluxnetes::workers
