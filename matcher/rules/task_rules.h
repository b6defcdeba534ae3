// What decides, beside amounts, on which nodes a task may go: labels and taints
// of the node, and the other tasks that are there. The words and the rules are
// those of Kubernetes ("Assigning Pods to Nodes", "Taints and Tolerations",
// "Pod Topology Spread Constraints"); a task is what Kubernetes calls a pod.
//
// A *domain* is the set of nodes with the same value of a label, the topology
// key. Nodes without the label are in no domain of it.
//
// Values; how a graph uses them is said in node_rules.h and in gang.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fluxnetes::matcher {

using Labels = std::map<std::string, std::string>;

// On a label, or on the node's name where `field` is set and the key is
// metadata.name. kGt and kLt compare integers, and hold for nothing else.
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

// `value` is what the label has, null if it is not there.
bool Holds(const LabelRequirement& requirement, const std::string* value);

enum class TaintEffect { kNoSchedule, kPreferNoSchedule, kNoExecute };
std::optional<TaintEffect> ParseTaintEffect(std::string_view name);

struct Taint {
  std::string key;
  std::string value;
  TaintEffect effect = TaintEffect::kNoSchedule;
  bool operator==(const Taint&) const = default;
};

// An empty key with `exists` tolerates everything; no effect means all.
struct Toleration {
  std::string key;
  bool exists = false;  // operator Exists; else Equal
  std::string value;
  std::optional<TaintEffect> effect;
  bool operator==(const Toleration&) const = default;
};
bool Tolerates(const Toleration& toleration, const Taint& taint);

// Tasks by their labels. An empty selector takes all of its namespaces.
struct TaskSelector {
  LabelTerm labels;
  std::vector<std::string> namespaces;  // empty: every one
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

// The tasks of the own namespace that `selector` takes, in each domain of the
// key: at most `max_skew` more than where there are the fewest.
struct SpreadConstraint {
  std::string topology_key;
  LabelTerm selector;
  int max_skew = 1;
  bool required = true;        // DoNotSchedule; else ScheduleAnyway
  int min_domains = 1;         // where there are less, the fewest are 0
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

// Which nodes, by themselves. The selector and one of the terms of the affinity
// must hold, if there are any; an empty term holds nowhere. Taints that are not
// tolerated keep away, those of kPreferNoSchedule cost kPreferencePoints each.
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

// Whether a node of this name, with these labels and taints, is allowed.
bool Allows(const NodeRules& rules, const std::string& node,
            const Labels& labels, const std::vector<Taint>& taints);

struct TaskRules {
  NodeRules node;

  // What other tasks see of it.
  std::string namespace_name;
  Labels labels;

  std::vector<AffinityTerm> affinity;       // each domain has a task that all
                                            // of the selectors take
  std::vector<AffinityTerm> anti_affinity;  // no domain has one
  std::vector<WeightedTerm> preferred;
  std::vector<SpreadConstraint> spread;
  std::vector<HostPort> host_ports;
  bool operator==(const TaskRules&) const = default;
};

inline constexpr int kPreferencePoints = 100;

// Whether the selector takes tasks with these labels.
bool Takes(const TaskSelector& selector, const TaskRules& task);
bool Conflict(const HostPort& a, const HostPort& b);

// Equal exactly for equal values; for looking them up.
std::string KeyOf(const NodeRules& rules);
std::string KeyOf(const TaskRules& rules);
std::string KeyOf(const TaskSelector& selector);
std::string KeyOf(const HostPort& port);

}  // namespace fluxnetes::matcher
