// Whether the pods of a group that must be together (topology_labels.h) are on
// nodes that still have the same value of the label: the last look before they
// are bound.
//
// Pure but for the cache.
#pragma once

#include <string>
#include <vector>

#include "cluster/cluster_cache.h"

namespace fluxnetes::workers {

// Why pods are not to be bound to `nodes`, beside those that are bound on
// `there` already; empty: they may be. They go to one value, which any of those
// that are there has. What the cache does not know has no value.
std::string WhyNotTogether(const std::string& key,
                           const std::vector<std::string>& nodes,
                           const std::vector<std::string>& there,
                           const cluster::ClusterCache& cache);

}  // namespace fluxnetes::workers
