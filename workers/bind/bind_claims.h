// Handles the claims (pod_claims.h) of a pod that is about to be bound. Claims
// that wait for their first consumer are annotated with the selected node, and
// the pod is bound once they have their volumes, as kube-scheduler does (its
// plugin VolumeBinding, PreBind).
//
// If the annotation disappears from a claim again, the provisioner has rejected
// the node: it could make no volume there. The announced claims are kept in
// memory only; a process that has no record of an announcement repeats it.
//
// Owned by one thread.
// Tests: tests/workers/gates/claims_pgtest.cc.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cluster/cluster.h"
#include "cluster/cluster_cache.h"

namespace fluxnetes::workers {

class BindClaims {
 public:
  explicit BindClaims(const cluster::ClusterCache& cache) : cache_(cache) {}

  struct Look {
    std::string problem;  // why the pod cannot be bound there; empty: it can
    std::string awaited;  // a claim that has no volume yet; empty: none
    std::vector<cluster::NodeAnnouncement> to_announce;
  };
  Look Check(const cluster::Pod& pod, const std::string& node);

  // Records an announcement that is about to be written.
  void Note(const cluster::NodeAnnouncement& announcement);

 private:
  struct Announced {
    std::string node;
    std::string before;  // the claim's version at that time; empty: the cache
                         // has shown the node
  };

  const cluster::ClusterCache& cache_;
  std::map<std::string, Announced> announced_;  // by UID of the claim
};

}  // namespace fluxnetes::workers
