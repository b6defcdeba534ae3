// True if the kubelet of the pod's node rejected the pod: the pod failed before
// it began to run, because of the node's state (OutOfcpu, NodeAffinity, ...). A
// new pod in its place would be rejected too. (Kubernetes:
// pkg/kubelet/lifecycle, and the other admission checks of the kubelet.)
//
// Pure.
#pragma once

#include "cluster/objects/pod.h"

namespace fluxnetes::cluster {

bool IsRejectedByKubelet(const Pod& pod);

}  // namespace fluxnetes::cluster
