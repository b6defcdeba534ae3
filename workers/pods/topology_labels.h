// What topology a pod asks for its group: all pods on nodes with the same value
// of a label. Labels fluxnetes.topology-required and
// fluxnetes.topology-preferred name a level:
//
//   host  kubernetes.io/hostname         zone    topology.kubernetes.io/zone
//   rack  topology.kubernetes.io/rack    region  topology.kubernetes.io/region
//
// Annotations of the same names may hold the key of another label of nodes,
// since values of labels have no '/'. The preferred level is tried first and is
// not wider than the required one, as far as both are of the above.
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "cluster/objects/pod.h"

namespace fluxnetes::workers {

inline constexpr const char* kTopologyRequiredLabel =
    "fluxnetes.topology-required";
inline constexpr const char* kTopologyPreferredLabel =
    "fluxnetes.topology-preferred";

struct TopologyLabels {
  cluster::GroupTopology topology;
  std::string refused;  // why; empty: they can be used
};
TopologyLabels ReadTopologyLabels(const cluster::Pod& pod);

// Why the preferred level cannot be that beside the required one; empty: it
// can.
std::string WhyTooWide(const cluster::GroupTopology& topology);

// In the order in which they are tried.
std::vector<std::string> KeysOf(const cluster::GroupTopology& topology);

// The key of a level, "rack"; another word is a key itself.
std::string KeyOfLevel(const std::string& word);

// "rack (topology.kubernetes.io/rack)", "value of the label KEY".
std::string DomainCalled(const std::string& key);

}  // namespace fluxnetes::workers
