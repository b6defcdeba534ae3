// The state of a pod's PersistentVolumeClaims, as kube-scheduler sees it (its
// plugins VolumeBinding and VolumeRestrictions).
//
//   kBound      has its volume: the pod's node must be one that can use it
//   kToBeBound  of a storage class that waits for the first consumer: a volume
//               is made for it once its pod has been given a node
//   kWaits      the pod cannot be matched; `why` names what is missing
//
// No existing volume is chosen for claims of a class that waits for the first
// consumer and has no provisioner: such claims wait until they are bound by
// others.
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
  std::string why;                             // the reason, if kWaits
  cluster::VolumeClaimPointer claim;           // null: it does not exist
  cluster::VolumePointer volume;               // kBound
  cluster::StorageClassPointer storage_class;  // kToBeBound
};

// Returns the state of each claim, in the order of the pod's volumes.
std::vector<PodClaim> ClaimsOf(const cluster::Pod& pod,
                               const cluster::ClusterCache& cache);

}  // namespace fluxnetes::workers
