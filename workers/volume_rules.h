// From which nodes the volumes of a pod can be used, as part of its request:
// each claim that has a volume (Kubernetes: "Persistent Volumes", node
// affinity). Claims without one are passed over.
//
// Pure but for the cache.
#pragma once

#include "cluster/cluster_cache.h"
#include "cluster/pod.h"

namespace fluxnetes::workers {

// The request as it is if the pod has no such volumes.
cluster::PodRequest WithVolumes(const cluster::PodRequest& request,
                                const cluster::Pod& pod,
                                const cluster::ClusterCache& cache);

// Both must hold: what is required of nodes, by terms of which one must hold
// (none: nothing is). Of more terms than anybody writes nothing holds.
std::vector<cluster::NodeSelectorTerm> Both(
    const std::vector<cluster::NodeSelectorTerm>& a,
    const std::vector<cluster::NodeSelectorTerm>& b);

}  // namespace fluxnetes::workers
