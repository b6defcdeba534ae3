// What a NodeResourceTopology (topology.node.k8s.io/v1alpha2) says of the node
// of its name: the NUMA domains of its kubelet, what each has, and what is left
// of it.
//
// Plain values.
// Tests: tests/cluster/structures/node_topology_test.cc.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cluster/objects/node.h"

namespace fluxnetes::cluster {

inline constexpr int kMostZones = 64;

struct TopologyZone {
  NumaZone numa;
  std::map<int, int> costs;  // of access to a domain, by its number
  bool operator==(const TopologyZone&) const = default;
};

struct NodeTopology {
  std::string name;
  std::string resource_version;
  TopologyPolicy policy = TopologyPolicy::kNone;
  std::vector<TopologyZone> zones;  // in order of number, each once
  // The place that is wrong and what would be right; then there are no zones.
  std::string fault;
  bool operator==(const NodeTopology&) const = default;
};

// Returns what is inside of the node, for matcher::ReadStructure():
//
//   socket0 - numa0 - core0 ... core61, memory0 ..., gpu0, gpu1
//           - numa1 - ...
//
// It has what each domain has allocatable: cores, memory, and devices by the
// end of their resources' names, "/gpu" and "/nic". Domains share a socket if
// access from one to the other costs less than 20, as firmware (ACPI's SLIT)
// tells a remote socket; without costs that tell sockets apart there are none.
// Throws matcher::StructureError if there is too much of something.
std::string StructureOf(const NodeTopology& topology);

}  // namespace fluxnetes::cluster
