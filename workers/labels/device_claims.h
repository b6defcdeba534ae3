// What a pod asks of devices: its claims (spec.resourceClaims), each with the
// spec of its ResourceClaim, which makes its request complete without the
// cluster.
//
// Pure.
// Tests: tests/workers/labels/device_claims_test.cc.
#pragma once

#include <string>
#include <vector>

#include "cluster/cluster_cache.h"
#include "cluster/objects/pod.h"
#include "matcher/devices/device_request.h"

namespace fluxnetes::workers {

struct DeviceClaims {
  std::vector<cluster::RequestedClaim> claims;
  // Why the pod waits for its claims, or cannot have them; empty: it can.
  std::string refused;
};
DeviceClaims ReadDeviceClaims(const cluster::Pod& pod,
                              const cluster::ClusterCache& cache);

// The devices that the request takes. Its claims have a spec.
matcher::TaskDevices DevicesOf(const cluster::PodRequest& request);

}  // namespace fluxnetes::workers
