// What of a pod's claims (pod_claims.h) stands between it and its node: claims
// that wait for their first consumer are told of the node, and the pod is bound
// when they have their volumes, as kube-scheduler does (its plugin
// VolumeBinding, before a binding).
//
// An announced node that disappears from a claim again was given back by the
// provisioner: it could make no volume there. Which claims were announced is
// known in memory only; whoever does not know announces once more.
//
// Owned by one thread.
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
    std::string problem;  // why the pod cannot be bound there; empty: it may be
    std::string awaited;  // a claim that has no volume yet; empty: none
    std::vector<cluster::NodeAnnouncement> to_announce;
  };
  Look Check(const cluster::Pod& pod, const std::string& node);

  // It is about to be written.
  void Note(const cluster::NodeAnnouncement& announcement);

 private:
  struct Announced {
    std::string node;
    std::string before;  // the claim's version then; empty: it has been seen
                         // with the node
  };

  const cluster::ClusterCache& cache_;
  std::map<std::string, Announced> announced_;  // by UID of the claim
};

}  // namespace fluxnetes::workers
