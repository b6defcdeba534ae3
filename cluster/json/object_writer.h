// Writes values as the JSON of Kubernetes: objects as an API server returns
// them, and the bodies of our requests. DecodePod and DecodeNode read an object
// back as the value it was written from.
#pragma once

#include <optional>
#include <string>

#include "cluster/cluster.h"
#include "cluster/objects/kubernetes_job.h"

namespace fluxnetes::cluster {

// A v1 Pod with one container that requests everything the pod requests, and
// with its condition if one was set.
std::string WritePod(const Pod& pod,
                     const std::optional<PodCondition>& condition = {});
// A v1 Node.
std::string WriteNode(const Node& node);
// A batch/v1 Job.
std::string WriteJob(const KubernetesJobStatus& status);

// A v1 Binding.
std::string WriteBinding(const Binding& binding);
// A v1 Event of this name.
std::string WriteEvent(const PodEvent& event, const std::string& name,
                       Time time);
// For PATCH .../pods/NAME/status (strategic merge): the condition alone.
std::string WriteConditionPatch(const PodCondition& condition);
// For PATCH .../podgroups/NAME/status: of the coscheduling plugin's group, all
// status fields that we own (merge); of a native group, its condition
// (strategic merge), with `time` as lastTransitionTime if the condition's
// status changes.
std::string WriteGroupStatusPatch(const PodGroupNews& news, Time time);
// For PATCH .../pods/NAME (merge): sets an annotation without meaning, which
// changes the resource version of the pod with this UID.
std::string WriteTouchPatch(const std::string& uid, const std::string& mark);
// For PATCH .../persistentvolumeclaims/NAME (merge).
std::string WriteAnnouncementPatch(const NodeAnnouncement& announcement);
// DeleteOptions: background deletion, with the UID as precondition unless
// empty.
std::string WriteDeleteOptions(const std::string& uid);

// The annotation that WriteTouchPatch sets. DecodePod does not keep it.
inline constexpr const char* kTouchAnnotation = "binding.fluxnetes.io/revoked";

}  // namespace fluxnetes::cluster
