// Decodes Kubernetes objects to values: v1 Pod and v1 Node from JSON or
// Protobuf, batch/v1 Job from JSON.
//
// Decoding never fails: the cluster is the source of truth, and a pod that we
// understand only in part must not be lost. A missing field, or one of another
// type, has its default. An amount that is unreadable or exceeds kLargestAmount
// becomes kLargestAmount in a request and 0 in an offer, so that a misreading
// never overcommits a node. Manifests that people write are checked first
// (manifest.h). Protobuf alone can be damaged inside of an object: then, and
// only then, WireError is thrown (encoded_value.h).
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cluster/objects/kubernetes_job.h"
#include "cluster/objects/node.h"
#include "cluster/objects/pod.h"
#include "cluster/objects/pod_template.h"
#include "cluster/protobuf/encoded_value.h"

namespace fluxnetes::cluster {

// More than any node has (8 PiB; 9 trillion cores). Sums over a thousand pods
// stay within 64 bits.
inline constexpr std::int64_t kLargestAmount = (std::int64_t{1} << 53) - 1;

// Decodes a pod. Its requests are those that Kubernetes computes: the larger of
// all containers together and of each init container in turn, with the sidecars
// (init containers that are restarted always) that run beside it; plus the
// overhead; limits where requests are absent; one pod. (Kubernetes: "Sidecar
// Containers", resource sharing within containers; "Pod Overhead".)
//
// Only annotations that we read are kept: fluxnetes..., and those of Fluence,
// the coscheduling plugin, Kueue's about topology, and the size of a replica of
// a LeaderWorkerSet.
Pod DecodePod(const EncodedValue& object);

// Decodes a node. Its amounts are status.allocatable, else status.capacity. It
// is ready unless a condition says otherwise.
Node DecodeNode(const EncodedValue& object);

// A v1 Pod, or the template of a Job: metadata and spec.
PodTemplate DecodePodTemplate(const nlohmann::json& object);

KubernetesJob DecodeJob(const nlohmann::json& object);

// Parts of objects.
LabelMap DecodeLabels(const EncodedValue& object);
// The kind of an object that only shares its name with one of Kubernetes' kinds
// has its API group: "Job.batch.volcano.sh".
std::optional<Owner> DecodeController(const EncodedValue& metadata);
// Returns nothing if the field is not an integer or does not fit.
std::optional<std::int32_t> DecodeInteger32(const EncodedValue& object,
                                            const char* key);

}  // namespace fluxnetes::cluster
