// What decides where a pod can go, as a value that equal pods share.
// (Kubernetes: "Assigning Pods to Nodes", "Taints and Tolerations", "Pod
// Topology Spread Constraints".)
//
// Rules that the scheduler cannot honour are kept too, so that it can report
// them.
// Tests: tests/cluster/objects/pod_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cluster/objects/copy_on_write.h"
#include "cluster/objects/pod_labels.h"
#include "cluster/objects/resources.h"
#include "cluster/objects/shared_list.h"

namespace fluxnetes::cluster {

// A toleration. An empty key with operator Exists tolerates everything; an
// empty effect stands for all effects.
struct Toleration {
  std::string key;
  bool exists = false;  // operator Exists; else Equal
  std::string value;
  std::string effect;
  std::string other_operator = {};  // such as Lt; empty: Exists or Equal
  bool operator==(const Toleration&) const = default;
};

// One requirement of a selector: In, NotIn, Exists, DoesNotExist and, for
// nodes, Gt and Lt, on a label or on the field metadata.name of a node.
struct NodeRequirement {
  std::string key;
  std::string op;
  std::vector<std::string> values;
  bool field = false;
  bool operator==(const NodeRequirement&) const = default;
};
using NodeSelectorTerm = std::vector<NodeRequirement>;  // all must hold

struct PreferredNodes {
  int weight = 0;
  NodeSelectorTerm term;
  bool operator==(const PreferredNodes&) const = default;
};

// Selects pods by their labels: all requirements must hold, so an empty
// selector selects every pod. A missing selector selects none.
using PodSelector = std::vector<NodeRequirement>;

struct PodAffinityTerm {
  std::optional<PodSelector> selector;
  std::string topology_key;
  std::vector<std::string> namespaces = {};  // none, no selector: its own
  std::optional<PodSelector> namespace_selector = {};
  // Keys of the pod's own labels that become part of the selector: see
  // MergeLabelKeys.
  std::vector<std::string> match_label_keys = {};
  std::vector<std::string> mismatch_label_keys = {};
  bool operator==(const PodAffinityTerm&) const = default;
};

struct PreferredPods {
  int weight = 0;  // below 0: anti-affinity
  PodAffinityTerm term;
  bool operator==(const PreferredPods&) const = default;
};

struct TopologySpread {
  std::string topology_key;
  std::optional<PodSelector> selector;
  int max_skew = 1;
  int min_domains = 1;
  bool required = true;        // DoNotSchedule; else ScheduleAnyway
  bool honor_affinity = true;  // nodeAffinityPolicy
  bool honor_taints = false;   // nodeTaintsPolicy
  std::vector<std::string> match_label_keys = {};
  bool operator==(const TopologySpread&) const = default;
};

struct HostPort {
  int port = 0;
  std::string protocol = "TCP";
  std::string ip = {};  // empty: all addresses of the node
  bool operator==(const HostPort&) const = default;
};

// So many pods of a group on nodes with one value of the label of this key.
struct TopologyLevel {
  std::string key;
  std::int32_t pods = 0;
  bool operator==(const TopologyLevel&) const = default;
};

// The number of a group's pods on each of its nodes.
struct PodsPerNode {
  std::int32_t pods = 0;  // 0: any number
  bool at_most = false;   // else exactly so many
  bool operator==(const PodsPerNode&) const = default;
};

// Amounts of pools of the whole cluster, such as licences, by name; above 0.
using PoolAmounts = std::map<std::string, std::int64_t>;

// Where all pods of a group are to be, and what the group needs besides its
// nodes. It is not part of a pod's spec, so no pod decoded from the cluster has
// it.
struct GroupTopology {
  // The key of a label of which all nodes have the same value; empty: none.
  std::string required;
  std::string preferred;  // tried first
  // Within these, the smallest number first; each divides the next.
  std::vector<TopologyLevel> required_parts = {};
  std::vector<TopologyLevel> preferred_parts = {};
  PodsPerNode per_node = {};
  bool whole_nodes = false;  // it has its nodes for itself
  // The pod is of a DaemonSet: it may be on nodes that others have for
  // themselves, and keeps nobody from having a node.
  bool aside = false;
  PoolAmounts pools = {};  // of the group as a whole
  // The pod asks for no topology of its own, and has that of its group's other
  // pods: a launcher beside workers.
  bool adopted = false;
  // Then, if the numbers of pods divide those of the other pods and not of all:
  // it does not count for them.
  bool uncounted = false;
  bool operator==(const GroupTopology&) const = default;
};

// What a pod asks of the inside of its node: NUMA domains, sockets, cores. It
// is read from the pod's labels and annotations, not from its spec.
struct InsideTerms {
  // All its cpus, memory and devices are in one domain of this kind: "numa",
  // "socket" or "island". Empty: anywhere in the node.
  std::string align;
  bool align_required = true;  // else tried first
  std::string cpus;  // "cores" or "sockets": whole ones. Empty: shares
  // The part of a jobspec that is below the node, as JSON of its resources;
  // then the members above are not set. Empty: none.
  std::string jobspec;
  bool operator==(const InsideTerms&) const = default;
};

// A claim of devices that a pod names (spec.resourceClaims). `spec` is what is
// asked, as canonical JSON (devices/claim_spec.h), so that a request is
// complete without the cluster. No pod decoded from the cluster has it: it
// stands in the claim or in the template.
struct RequestedClaim {
  std::string name;  // in the pod
  // "namespace/name" of a claim that several pods may use. Empty: the pod's
  // own, made from the template.
  std::string claim = {};
  std::string template_name = {};
  std::string spec = {};
  bool operator==(const RequestedClaim&) const = default;
};

struct PodRules {
  std::vector<PreferredNodes> preferred_nodes;
  std::vector<PodAffinityTerm> affinity;
  std::vector<PodAffinityTerm> anti_affinity;
  std::vector<PreferredPods> preferred_pods;
  std::vector<TopologySpread> spread;
  std::vector<HostPort> host_ports;  // including those of hostNetwork
  std::vector<RequestedClaim> resource_claims;
  GroupTopology topology;
  InsideTerms inside;
  bool operator==(const PodRules&) const = default;
};

struct PodRequest {
  Resources resources;
  LabelMap node_selector;                       // all must match
  std::vector<NodeSelectorTerm> node_affinity;  // required: one must hold
  SharedList<Toleration> tolerations;
  CopyOnWrite<PodRules> rules;
  // Of the QoS class Guaranteed: each container has limits of cpu and memory
  // that equal its requests. (Kubernetes: "Pod Quality of Service Classes".)
  bool guaranteed = false;
  bool operator==(const PodRequest&) const = default;
};

// Makes matchLabelKeys and mismatchLabelKeys part of the selectors, with the
// values of the pod's labels, as the API server does when a pod is created
// (KEP-3633, KEP-3243). Parts that it has merged already are not merged twice.
// Keys without a label on the pod are ignored.
void MergeLabelKeys(const PodLabels& labels, PodRequest& request);

// The cpus that a kubelet with the static CPU manager gives the pod alone: 0 if
// it is not of the class Guaranteed, or asks for a part of a cpu.
std::int64_t WholeCpus(const PodRequest& request);

// The topology of the group, without what may differ between its pods.
GroupTopology OfGroup(GroupTopology topology);

// Gives claims that pods share, which have no namespace yet, that of the pod.
void PutClaimsInto(const std::string& namespace_name, PodRequest& request);

// Returns the request with this topology of the pod's group.
PodRequest WithTopology(PodRequest request, const GroupTopology& topology);

}  // namespace fluxnetes::cluster
