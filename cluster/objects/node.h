// A node: the fields that the scheduler uses, as a value.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cluster/objects/pod.h"
#include "cluster/objects/resources.h"

namespace fluxnetes::cluster {

struct Taint {
  std::string key;
  std::string value;
  std::string effect;  // NoSchedule, PreferNoSchedule, NoExecute
  bool operator==(const Taint&) const = default;
};

// The number of pods of a node that states none: a kubelet's --max-pods.
inline constexpr std::int64_t kDefaultPods = 110;

struct Node {
  std::string name;
  std::string uid;
  std::string resource_version;
  Resources allocatable;
  std::map<std::string, std::string> labels;
  std::vector<Taint> taints;
  bool unschedulable = false;  // cordoned
  bool ready = true;
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
