// The devices that pods of other schedulers have by their claims, for people:
// as in the column nodes.unmanaged_devices. For decisions, what any claim of
// the cluster has is taken (device_feed.h), whoever it is for.
//
// Pure but for the cache.
// Tests: tests/workers/match/node_reporter_pgtest.cc.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cluster/cluster_cache.h"

namespace fluxnetes::workers {

struct UnmanagedDevices {
  std::string json = "[]";
  std::set<std::string> claims = {};  // "namespace/name" of those that count
};

// Devices of the allocated claims that these pods of one node name.
UnmanagedDevices DevicesOfUnmanaged(
    const std::vector<cluster::PodPointer>& pods,
    const cluster::ClusterCache& cache);

}  // namespace fluxnetes::workers
