// Checks whether the members of a group with a required topology
// (topology_labels.h) are on nodes that still have the same value of the label:
// the last check before they are bound.
//
// Pure but for the cache.
// Tests: tests/workers/pods/topology_pgtest.cc.
#pragma once

#include <string>
#include <vector>

#include "cluster/cluster_cache.h"

namespace fluxnetes::workers {

// Returns why pods must not be bound to `nodes`, given that other members are
// already bound on `there`; empty if they may. All `nodes` must have one value
// of the label, which at least one node of `there` must have too if there are
// any. A node that the cache does not know has no value.
std::string WhyNotTogether(const std::string& key,
                           const std::vector<std::string>& nodes,
                           const std::vector<std::string>& there,
                           const cluster::ClusterCache& cache);

}  // namespace fluxnetes::workers
