// From which nodes the volumes of a pod can be used, as part of its request: of
// each claim that has a volume those of the volume's node affinity; of one
// whose volume is to be made the node that was announced to it, or those of its
// storage class's allowedTopologies (Kubernetes: "Persistent Volumes", "Storage
// Classes"). Claims that have to be waited for (pod_claims.h) are passed over.
//
// Pure but for the cache.
#pragma once

#include "cluster/cluster_cache.h"
#include "cluster/objects/pod.h"

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
