// A node: the fields that the scheduler uses, as a value.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cluster/objects/copy_on_write.h"
#include "cluster/objects/pod.h"
#include "cluster/objects/resources.h"
#include "cluster/objects/shared_list.h"

namespace fluxnetes::cluster {

struct Taint {
  std::string key;
  std::string value;
  std::string effect;  // NoSchedule, PreferNoSchedule, NoExecute
  bool operator==(const Taint&) const = default;
};

// The number of pods of a node that states none: a kubelet's --max-pods.
inline constexpr std::int64_t kDefaultPods = 110;

// What a kubelet's topology manager refuses: a pod whose whole cpus and devices
// are not in one NUMA domain, or are in more domains than they need.
// (Kubernetes: "Control Topology Management Policies on a Node".)
enum class TopologyPolicy { kNone, kRestricted, kSingleNumaNode };

// A NUMA domain of a node as its kubelet accounts for it.
struct NumaZone {
  int number = 0;
  Resources allocatable;
  Resources available;  // not given to any pod yet
  bool operator==(const NumaZone&) const = default;
};

struct Node {
  std::string name;
  std::string uid;
  std::string resource_version;
  Resources allocatable;
  std::map<std::string, std::string> labels;
  std::vector<Taint> taints;
  bool unschedulable = false;  // cordoned
  bool ready = true;
  // What is inside of the node, for matcher::ReadStructure(); empty: not known.
  CopyOnWrite<std::string> structure = {};
  TopologyPolicy topology_policy = TopologyPolicy::kNone;
  SharedList<NumaZone> zones = {};  // as last reported; empty: not reported
  bool operator==(const Node&) const = default;
};

// Returns why the node takes no new pods at all ("cordoned", "not ready");
// empty if it takes them. Taints do not count here: they depend on the pod.
std::string WhyClosed(const Node& node);

// True if the node's labels, name and taints admit a pod of this request;
// resources are not checked. (Kubernetes: "Assigning Pods to Nodes", "Taints
// and Tolerations"; PreferNoSchedule never excludes.)
bool Admits(const Node& node, const PodRequest& request);

// True if the node has every label of the selector.
bool Selects(const std::map<std::string, std::string>& selector,
             const Node& node);

}  // namespace fluxnetes::cluster
