// Reads the devices of the cluster, and what claims have of them, from the
// cache into news for a schedule.
//
// Pure functions.
// Tests: tests/workers/match/device_feed_test.cc.
#pragma once

#include <functional>
#include <string>

#include "cluster/cluster_cache.h"
#include "workers/decision/device_news.h"

namespace fluxnetes::workers {

// All that the cache has. Claims of which each consumer `is_left_out` are left
// out: what they hold is known otherwise.
DeviceNews AllDevices(
    const cluster::ClusterCache& cache,
    const std::function<bool(const std::string& uid)>& is_left_out);

// What the cache now has of what has changed.
DeviceNews ReadChanged(const cluster::ClusterCache& cache,
                       const cluster::ChangedDevices& changed);

}  // namespace fluxnetes::workers
