// Whether the nodes of groups that are about to be bound still have room for
// them: between the match and the first POST a pod of another scheduler may
// have come, or the node have shrunk.
//
// Looked at are the pods that the cache shows on a node. The match counts at
// least as much for them, so a group that goes back is not given the same node
// again. What was given to others of our pods and is not bound yet is not
// looked at: who comes later looks for himself.
//
// One thread.
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

  // A pod that is about to be bound, of the group of this number. Groups are
  // told in order: if not all have room, the last ones have not.
  void Add(std::size_t group, const cluster::Pod& pod, const std::string& node);

  // The groups that have no room, each with the node that is full.
  std::map<std::size_t, std::string> Crowded();

 private:
  using Amounts = std::map<std::string, cluster::Resources>;  // by node

  Amounts Used(const Amounts& nodes) const;

  const cluster::ClusterCache& cache_;
  std::map<std::size_t, Amounts> wishes_;
};

}  // namespace fluxnetes::workers
