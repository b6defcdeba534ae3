// How it stands with the PersistentVolumeClaims of a pod, as kube-scheduler
// sees it (its plugins VolumeBinding and VolumeRestrictions).
//
//   kBound      has its volume: the pod goes where the volume can be used
//   kToBeBound  of a storage class that waits for the first consumer: a volume
//               is made for it once its pod has been given a node
//   kWaits      the pod cannot be matched; `why` says what is missing
//
// Volumes that are there already are not chosen for claims of a class that
// waits and has no provisioner: such claims wait until somebody binds them.
//
// Pure but for the cache.
#pragma once

#include <string>
#include <vector>

#include "cluster/cluster_cache.h"
#include "cluster/objects/pod.h"

namespace fluxnetes::workers {

struct PodClaim {
  enum class State { kBound, kToBeBound, kWaits };

  State state = State::kWaits;
  std::string name;
  std::string why;                             // kWaits
  cluster::VolumeClaimPointer claim;           // null: there is none
  cluster::VolumePointer volume;               // kBound
  cluster::StorageClassPointer storage_class;  // kToBeBound
};

// Of each claim, in the order of the pod's volumes.
std::vector<PodClaim> ClaimsOf(const cluster::Pod& pod,
                               const cluster::ClusterCache& cache);

}  // namespace fluxnetes::workers
