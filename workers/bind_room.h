// Whether the nodes of groups that are about to be bound still have room for
// them: between the match and the first POST a pod of another scheduler may
// have come, or the node have shrunk.
//
// Looked at are the pods that the cache shows on a node, ours with what was
// given to them, as the match counts them; so a group that goes back for it is
// not given the same node again. What was given to others of our pods and is
// not bound yet is not looked at: who comes later looks for himself.
//
// The database is asked only about nodes that seem full. One thread. Throws
// sql::Error.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "cluster/cluster_cache.h"
#include "sql/pool.h"

namespace fluxnetes::workers {

class BindRoom {
 public:
  BindRoom(sql::Pool& pool, const cluster::ClusterCache& cache)
      : pool_(pool), cache_(cache) {}

  // A pod that is about to be bound, of the group of this number. Groups are
  // told in order: if not all have room, the last ones have not.
  void Add(std::size_t group, const cluster::Pod& pod, const std::string& node);

  // The groups that have no room, each with the node that is full.
  std::map<std::size_t, std::string> Crowded();

 private:
  using Amounts = std::map<std::string, cluster::Resources>;  // by node

  // What the pods on the nodes use, by `of` where it says so of a pod.
  Amounts Used(const std::vector<std::string>& nodes, const Amounts& of) const;
  Amounts ReadGrants(const std::vector<std::string>& nodes);  // by UID

  sql::Pool& pool_;
  const cluster::ClusterCache& cache_;
  std::map<std::size_t, Amounts> wishes_;
};

}  // namespace fluxnetes::workers
