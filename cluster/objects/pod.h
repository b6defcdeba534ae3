// A pod: the fields that the scheduler uses, as a value.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cluster/objects/pod_request.h"
#include "cluster/text/timestamp.h"

namespace fluxnetes::cluster {

enum class PodPhase { kPending, kRunning, kSucceeded, kFailed };

struct Owner {
  std::string kind;
  std::string name;
  std::string uid;
  bool operator==(const Owner&) const = default;
};

// The object behind an entry of spec.resourceClaims.
struct PodClaim {
  std::string name;  // of the entry
  // The name of the ResourceClaim, in the pod's namespace. Empty: none has been
  // made from the template yet.
  std::string claim = {};
  std::string template_name = {};  // empty: the claim may be of several pods
  bool needless = false;  // no claim is to be made (status without a name)
  bool operator==(const PodClaim&) const = default;
};

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
  bool started = false;      // its kubelet has begun with it
  bool terminating = false;  // has a deletion timestamp
  bool gated = false;        // has scheduling gates
  PodLabels labels;
  LabelMap annotations;  // only those that we read
  PodRequest request;
  // Names of the PersistentVolumeClaims of its volumes, in its namespace.
  std::vector<std::string> volume_claims;
  // The subset created for this pod alone, for ephemeral volumes.
  std::vector<std::string> ephemeral_claims;
  std::vector<PodClaim> resource_claims;  // claims of devices
  std::int32_t priority = 0;
  bool preempts = true;            // its preemptionPolicy is not Never
  std::chrono::seconds grace{30};  // its terminationGracePeriodSeconds
  std::optional<std::chrono::seconds> active_deadline;
  std::optional<Owner> controller;
  std::optional<int> completion_index;
  Time created_at{};
  bool operator==(const Pod&) const = default;
};

// "namespace/name".
std::string Key(const Pod& pod);

// True for a pod of a DaemonSet, and for a static pod, which the API server
// shows as a mirror that its node controls: it is there because its node is.
inline bool BelongsToItsNode(const Pod& pod) {
  return pod.controller && (pod.controller->kind == "DaemonSet" ||
                            pod.controller->kind == "Node");
}

// Whether the kubelet of its node has taken it, so that it has its devices and
// the cpus that are its own.
inline bool IsAdmitted(const Pod& pod) {
  return pod.phase == PodPhase::kRunning ||
         (pod.phase == PodPhase::kPending && pod.started);
}

inline bool HasEnded(const Pod& pod) {
  return pod.phase == PodPhase::kSucceeded || pod.phase == PodPhase::kFailed;
}

}  // namespace fluxnetes::cluster
