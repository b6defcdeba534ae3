// A PodGroup object: the number of pods that must start together among the pods
// that name it. Two APIs have this kind, the coscheduling plugin
// (scheduling.x-k8s.io) and Kubernetes itself (scheduling.k8s.io, from 1.36 on,
// behind a feature gate); here they are one value.
//
// Pods name a group of the coscheduling plugin by the label
// scheduling.x-k8s.io/pod-group and a native group by
// spec.schedulingGroup.podGroupName; both are in the pod's namespace.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/objects/pod.h"
#include "cluster/objects/resources.h"

namespace fluxnetes::cluster {

enum class PodGroupApi { kCoscheduling, kNative };

inline constexpr const char* kCoschedulingLabel =
    "scheduling.x-k8s.io/pod-group";

struct PodGroupName {
  PodGroupApi api = PodGroupApi::kCoscheduling;
  std::string namespace_name;
  std::string name;
  auto operator<=>(const PodGroupName&) const = default;
};

// "namespace/name".
inline std::string Key(const PodGroupName& group) {
  return group.namespace_name + "/" + group.name;
}

// The status of a PodGroup: phase and counts of the coscheduling plugin's, the
// condition PodGroupScheduled of a native one.
struct PodGroupStatus {
  std::string phase;        // Pending, Scheduling, Running, Finished, Failed
  std::string occupied_by;  // "namespace/name" of its pods' controller
  // Number of pods with a node, a field of older versions of the plugin;
  // nothing: the object does not have the field.
  std::optional<std::int32_t> scheduled;
  std::int32_t running = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  std::string condition = {};  // True, False; empty: no condition
  std::string reason = {};
  std::string message = {};
  bool operator==(const PodGroupStatus&) const = default;
};

// Returns true if `shown` already has all of `wanted` that its API can show.
bool SaysSo(PodGroupStatus shown, const PodGroupStatus& wanted);

struct PodGroup {
  PodGroupName name;
  std::string uid;
  std::string resource_version;
  // The number of pods that complete the group: spec.minMember, or
  // spec.schedulingPolicy.gang.minCount. Nothing: the pods need not start
  // together (the native policy "basic"), or the field is missing.
  std::optional<std::int32_t> min_members;
  // A native group whose policy is neither "gang" nor "basic".
  bool unknown_policy = false;
  // Of a native group: node label keys, for each of which all pods must be on
  // nodes with one value; the group's own priority; the names of its resource
  // claims.
  std::vector<std::string> topology = {};
  std::optional<std::int32_t> priority = {};
  std::vector<std::string> resource_claims = {};
  // Of the coscheduling plugin: the amounts that must be free in the cluster
  // before any of its pods is tried, and how long pods with a node wait for the
  // others.
  std::optional<Resources> min_resources;
  std::optional<std::chrono::seconds> schedule_timeout;
  PodGroupStatus status;
  bool operator==(const PodGroup&) const = default;
};

// Returns the groups that the pod names, at most one of each API.
std::vector<PodGroupName> NamedPodGroups(const Pod& pod);

}  // namespace fluxnetes::cluster
