// Checks whether a group is still placed as its topology asks
// (topology_labels.h): the last check before it is bound. Since the match a
// node may have got another label, and a pod of another scheduler may have come
// to a node that the group was to have for itself.
//
// Pure but for the cache.
// Tests: tests/workers/bind/bind_topology_test.cc,
// tests/workers/pods/topology_pgtest.cc.
#pragma once

#include <string>
#include <vector>

#include "cluster/cluster_cache.h"
#include "cluster/objects/pod_request.h"
#include "cluster/scheduler_names.h"

namespace fluxnetes::workers {

// Returns why pods must not be bound to `nodes`, given that other members are
// already bound on `there`; empty if they may. All `nodes` must have one value
// of the label, which at least one node of `there` must have too if there are
// any. A node that the cache does not know has no value.
std::string WhyNotTogether(const std::string& key,
                           const std::vector<std::string>& nodes,
                           const std::vector<std::string>& there,
                           const cluster::ClusterCache& cache);

// The node of each pod of a group.
struct NodesOfPods {
  std::vector<std::string> nodes;  // it is to be bound to
  std::vector<std::string> there;  // it is bound on
};

// The same for all required levels, and for the number of pods on each node,
// for which `counted` are the pods. How many pods are in a value is checked
// before the first pod of the group is bound only: later members may have
// ended.
std::string WhyNotPlaced(const cluster::GroupTopology& topology,
                         const NodesOfPods& all, const NodesOfPods& counted,
                         const cluster::ClusterCache& cache);

// Why a node is not free for a group that has its nodes for itself; empty: it
// is. Pods that belong to their node do not count, nor those of `schedulers`,
// which the match keeps apart.
std::string WhyNotAlone(const std::string& node,
                        const cluster::SchedulerNames& schedulers,
                        const cluster::ClusterCache& cache);

}  // namespace fluxnetes::workers
