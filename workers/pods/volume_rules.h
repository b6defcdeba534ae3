// Adds to a pod's request the nodes from which its volumes can be used: for a
// claim that has a volume those of the volume's node affinity; for a claim
// whose volume is still to be made the announced node, or those of its storage
// class's allowedTopologies (Kubernetes: "Persistent Volumes", "Storage
// Classes"). Claims that the pod must wait for (pod_claims.h) are skipped.
//
// Pure but for the cache.
#pragma once

#include "cluster/cluster_cache.h"
#include "cluster/objects/pod.h"

namespace fluxnetes::workers {

// Returns the request unchanged if the pod has no such volumes.
cluster::PodRequest WithVolumes(const cluster::PodRequest& request,
                                const cluster::Pod& pod,
                                const cluster::ClusterCache& cache);

// The conjunction of two node requirements, each a list of terms of which one
// must hold (an empty list requires nothing). If it would have too many terms,
// the result cannot be satisfied.
std::vector<cluster::NodeSelectorTerm> Both(
    const std::vector<cluster::NodeSelectorTerm>& a,
    const std::vector<cluster::NodeSelectorTerm>& b);

}  // namespace fluxnetes::workers
