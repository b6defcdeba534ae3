// The rules that, beside amounts, decide on which nodes a task may go: by
// labels and taints of the node, and by the other tasks there. The terms and
// rules are those of Kubernetes ("Assigning Pods to Nodes", "Taints and
// Tolerations", "Pod Topology Spread Constraints"); a task is what Kubernetes
// calls a pod.
//
// A *domain* is the set of nodes with the same value of a label, the topology
// key. Nodes without the label are in no domain of it.
//
// Plain values; node_rules.h and node_graph.h describe how a graph uses them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fluxnetes::matcher {

using Labels = std::map<std::string, std::string>;

// A requirement on a label, or on the node's name if `field` is set and the key
// is metadata.name. kGt and kLt compare integers; they fail for other values.
struct LabelRequirement {
  enum class Op { kIn, kNotIn, kExists, kDoesNotExist, kGt, kLt };

  std::string key;
  Op op = Op::kIn;
  std::vector<std::string> values;
  bool field = false;
  bool operator==(const LabelRequirement&) const = default;
};
std::optional<LabelRequirement::Op> ParseOp(std::string_view name);

using LabelTerm = std::vector<LabelRequirement>;  // all must hold

// `value` is the value of the label; null if the label is missing.
bool Holds(const LabelRequirement& requirement, const std::string* value);

enum class TaintEffect { kNoSchedule, kPreferNoSchedule, kNoExecute };
std::optional<TaintEffect> ParseTaintEffect(std::string_view name);

struct Taint {
  std::string key;
  std::string value;
  TaintEffect effect = TaintEffect::kNoSchedule;
  bool operator==(const Taint&) const = default;
};

// An empty key with `exists` tolerates every taint; no effect means all
// effects.
struct Toleration {
  std::string key;
  bool exists = false;  // operator Exists; else Equal
  std::string value;
  std::optional<TaintEffect> effect;
  bool operator==(const Toleration&) const = default;
};
bool Tolerates(const Toleration& toleration, const Taint& taint);

// Selects tasks by their labels. An empty selector matches all tasks of its
// namespaces.
struct TaskSelector {
  LabelTerm labels;
  std::vector<std::string> namespaces;  // empty: all
  bool operator==(const TaskSelector&) const = default;
};

struct AffinityTerm {
  TaskSelector selector;
  std::string topology_key;
  bool operator==(const AffinityTerm&) const = default;
};

// A negative weight is a preference to stay away.
struct WeightedTerm {
  int weight = 0;
  AffinityTerm term;
  bool operator==(const WeightedTerm&) const = default;
};

// Limits the tasks of the own namespace that `selector` matches: each domain of
// the key has at most `max_skew` more of them than the domain with the fewest.
struct SpreadConstraint {
  std::string topology_key;
  LabelTerm selector;
  int max_skew = 1;
  bool required = true;        // DoNotSchedule; else ScheduleAnyway
  int min_domains = 1;         // with fewer domains, the fewest is 0
  bool honor_affinity = true;  // nodeAffinityPolicy
  bool honor_taints = false;   // nodeTaintsPolicy
  bool operator==(const SpreadConstraint&) const = default;
};

struct HostPort {
  std::string protocol = "TCP";
  std::string ip;  // empty or 0.0.0.0: all addresses of the node
  int port = 0;
  bool operator==(const HostPort&) const = default;
};

// Rules on the node by itself. The selector and one term of the affinity must
// match, if there are any; an empty term matches no node. Taints that are not
// tolerated exclude the node, but those of kPreferNoSchedule only cost
// kPreferencePoints each.
struct NodeRules {
  struct Preferred {
    int weight = 0;
    LabelTerm term;
    bool operator==(const Preferred&) const = default;
  };

  Labels selector;
  std::vector<LabelTerm> affinity;
  std::vector<Preferred> preferred;
  std::vector<Toleration> tolerations;
  bool operator==(const NodeRules&) const = default;
};

// True if a node of this name, with these labels and taints, is allowed.
bool Allows(const NodeRules& rules, const std::string& node,
            const Labels& labels, const std::vector<Taint>& taints);

struct TaskRules {
  NodeRules node;

  // What the rules of other tasks match.
  std::string namespace_name;
  Labels labels;

  // For each term, the node's domain has a task that the selectors of all terms
  // match.
  std::vector<AffinityTerm> affinity;
  // the domain has no task that a term matches
  std::vector<AffinityTerm> anti_affinity;
  std::vector<WeightedTerm> preferred;
  std::vector<SpreadConstraint> spread;
  std::vector<HostPort> host_ports;
  bool operator==(const TaskRules&) const = default;
};

inline constexpr int kPreferencePoints = 100;

// True if the selector matches the labels and namespace of the task.
bool Takes(const TaskSelector& selector, const TaskRules& task);
bool Conflict(const HostPort& a, const HostPort& b);

// Look-up keys, equal exactly for equal values.
std::string KeyOf(const NodeRules& rules);
std::string KeyOf(const TaskRules& rules);
std::string KeyOf(const TaskSelector& selector);
std::string KeyOf(const HostPort& port);

}  // namespace fluxnetes::matcher
