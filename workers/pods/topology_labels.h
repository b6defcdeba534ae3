// Reads the topology that a pod requests for its group: all pods on nodes with
// the same value of a label. Labels fluxnetes.topology-required and
// fluxnetes.topology-preferred name a level:
//
//   host  kubernetes.io/hostname         zone    topology.kubernetes.io/zone
//   rack  topology.kubernetes.io/rack    region  topology.kubernetes.io/region
//
// Annotations of the same names may hold the key of another node label, since
// label values cannot contain '/'. The preferred level is tried first. It must
// not be wider than the required one, if both are among the above.
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
  std::string refused;  // the reason; empty: they can be used
};
TopologyLabels ReadTopologyLabels(const cluster::Pod& pod);

// Why the preferred level cannot be combined with the required one; empty: it
// can.
std::string WhyTooWide(const cluster::GroupTopology& topology);

// The keys in the order in which they are tried.
std::vector<std::string> KeysOf(const cluster::GroupTopology& topology);

// The key of a level such as "rack"; any other word is a key itself.
std::string KeyOfLevel(const std::string& word);

// "rack (topology.kubernetes.io/rack)", "value of the label KEY".
std::string DomainCalled(const std::string& key);

}  // namespace fluxnetes::workers
