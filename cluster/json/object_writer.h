// Values as the JSON of Kubernetes: objects as an API server shows them, and
// what we send to it. What DecodePod and DecodeNode read of such an object is
// the value that it was written from.
#pragma once

#include <optional>
#include <string>

#include "cluster/cluster.h"
#include "cluster/objects/kubernetes_job.h"

namespace fluxnetes::cluster {

// A v1 Pod with one container, which asks for all that the pod asks for; with
// its condition, if one was set.
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
// For PATCH .../podgroups/NAME/status: all of the status that is ours (merge),
// or its condition (strategic merge, of a native one), as of `time` if it has
// turned.
std::string WriteGroupStatusPatch(const PodGroupNews& news, Time time);
// For PATCH .../pods/NAME (merge): an annotation that says nothing but changes
// the version, of the pod with this UID.
std::string WriteTouchPatch(const std::string& uid, const std::string& mark);
// For PATCH .../persistentvolumeclaims/NAME (merge).
std::string WriteAnnouncementPatch(const NodeAnnouncement& announcement);
// DeleteOptions: in the background, and this UID only unless it is empty.
std::string WriteDeleteOptions(const std::string& uid);

// What WriteTouchPatch sets. Not one of the annotations that we read.
inline constexpr const char* kTouchAnnotation = "binding.fluxnetes.io/revoked";

}  // namespace fluxnetes::cluster
