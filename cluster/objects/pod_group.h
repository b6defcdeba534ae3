// A PodGroup: an object that says how many of the pods that name it must start
// together. Two APIs have one: the coscheduling plugin (scheduling.x-k8s.io)
// and Kubernetes itself (scheduling.k8s.io, from 1.36 on, behind a feature
// gate); here they are one value.
//
// Pods name the one of the coscheduling plugin by the label
// scheduling.x-k8s.io/pod-group, the native one by
// spec.schedulingGroup.podGroupName; both in their own namespace.
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

// What the status of its object says: phase and counts of the coscheduling
// plugin's, the condition PodGroupScheduled of the native one.
struct PodGroupStatus {
  std::string phase;        // Pending, Scheduling, Running, Finished, Failed
  std::string occupied_by;  // "namespace/name" of its pods' controller
  // Pods that have a node: of older versions of the plugin; nothing: it is not
  // shown.
  std::optional<std::int32_t> scheduled;
  std::int32_t running = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  std::string condition = {};  // True, False; empty: there is none
  std::string reason = {};
  std::string message = {};
  bool operator==(const PodGroupStatus&) const = default;
};

// Whether it says all that `wanted` says, as far as its API can.
bool SaysSo(PodGroupStatus shown, const PodGroupStatus& wanted);

struct PodGroup {
  PodGroupName name;
  std::string uid;
  std::string resource_version;
  // How many pods make it whole: spec.minMember, or
  // spec.schedulingPolicy.gang.minCount. Nothing: its pods need not start
  // together (the native policy "basic"), or it does not say.
  std::optional<std::int32_t> min_members;
  // The native one has a policy that is neither "gang" nor "basic".
  bool unknown_policy = false;
  // Of the native one: keys of node labels, for each of which all pods must be
  // on nodes with the same value; its own priority; what its claims are called.
  std::vector<std::string> topology = {};
  std::optional<std::int32_t> priority = {};
  std::vector<std::string> resource_claims = {};
  // Of the coscheduling plugin: what must be free in the cluster before any of
  // it is tried, and for how long pods that have a place wait for the others.
  std::optional<Resources> min_resources;
  std::optional<std::chrono::seconds> schedule_timeout;
  PodGroupStatus status;
  bool operator==(const PodGroup&) const = default;
};

// The groups that the pod names, at most one of each API.
std::vector<PodGroupName> NamedPodGroups(const Pod& pod);

}  // namespace fluxnetes::cluster
