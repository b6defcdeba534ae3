// Where pods are or would be placed, as a resource graph in JGF (JSON Graph
// Format, as Flux writes it): the cluster, the nodes, and below each what the
// pods have there. What a pod has inside of its node are vertices of their own,
// by their paths; amounts are one vertex for all pods of the node, with the
// amount as its size (cores, MiB of memory, GPUs).
//
// Pure.
// Tests: tests/services/match/placement_graph_test.cc.
#pragma once

#include <span>
#include <string>

#include "cluster/objects/resources.h"
#include "workers/simulation/jobspec_match.h"

namespace fluxnetes::services {

struct PodOnNode {
  std::string node;
  std::string parts;  // inside of its node; empty: amounts alone
  cluster::Resources resources;
};

// Both throw matcher::PartsError if a pod's parts are malformed. Whole nodes
// are exclusive.
std::string PlacementGraph(std::span<const PodOnNode> pods, bool whole_nodes);
// Where the pods of a jobspec would be.
std::string PlacementGraph(const workers::JobspecMatch& match);

}  // namespace fluxnetes::services
