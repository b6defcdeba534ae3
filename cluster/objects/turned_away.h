// Whether the kubelet of a pod's node has turned it away: the pod failed before
// it began to run, for what the node has or is (OutOfcpu, NodeAffinity, ...). A
// new pod in its place would fare no better there. (Kubernetes:
// pkg/kubelet/lifecycle, and what else admits pods there.)
//
// Pure.
#pragma once

#include "cluster/objects/pod.h"

namespace fluxnetes::cluster {

bool IsTurnedAway(const Pod& pod);

}  // namespace fluxnetes::cluster
