// A pod: the fields that the scheduler uses, as a value.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cluster/resources.h"

namespace fluxnetes::cluster {

using Time = std::chrono::sys_time<std::chrono::microseconds>;

enum class PodPhase { kPending, kRunning, kSucceeded, kFailed };

struct Owner {
  std::string kind;
  std::string name;
  std::string uid;
  bool operator==(const Owner&) const = default;
};

// A toleration (Kubernetes: "Taints and Tolerations"). Empty key with operator
// Exists tolerates everything; an empty effect means all effects.
struct Toleration {
  std::string key;
  bool exists = false;  // operator Exists; else Equal
  std::string value;
  std::string effect;
  bool operator==(const Toleration&) const = default;
};

// One requirement of a node selector term: In, NotIn, Exists, DoesNotExist,
// Gt, Lt on a label, or on the field metadata.name.
struct NodeRequirement {
  std::string key;
  std::string op;
  std::vector<std::string> values;
  bool field = false;
  bool operator==(const NodeRequirement&) const = default;
};
using NodeSelectorTerm = std::vector<NodeRequirement>;  // all must hold

// What decides where a pod can go. Pods with equal requests are of one shape.
struct PodRequest {
  Resources resources;
  std::map<std::string, std::string> node_selector;  // all must match
  std::vector<NodeSelectorTerm> node_affinity;       // required: one must hold
  std::vector<Toleration> tolerations;
  bool operator==(const PodRequest&) const = default;
};

// Canonical JSON of a request: equal text exactly for equal requests. Keys
// "cpu", "memory", "ephemeral-storage", "pods", extended ones by name, under
// "resources" (amounts as quantities); "nodeSelector", "nodeAffinity",
// "tolerations" where not empty. Reading throws std::invalid_argument.
std::string ToJson(const PodRequest& request);
PodRequest PodRequestFromJson(const std::string& json);

struct Pod {
  std::string namespace_name;
  std::string name;
  std::string uid;
  std::string resource_version;
  std::string scheduler_name;
  std::string node_name;         // empty: unbound
  std::string scheduling_group;  // spec.schedulingGroup.podGroupName
  PodPhase phase = PodPhase::kPending;
  std::string reason;        // of the phase: DeadlineExceeded, OutOfcpu, ...
  bool terminating = false;  // has a deletion timestamp
  bool gated = false;        // has scheduling gates
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> annotations;  // those that we read only
  PodRequest request;
  std::int32_t priority = 0;
  std::optional<std::chrono::seconds> active_deadline;
  std::optional<Owner> controller;
  std::optional<int> completion_index;
  Time created_at{};
};

// "namespace/name".
std::string Key(const Pod& pod);

}  // namespace fluxnetes::cluster
