// Kubernetes objects as values, decoded from their JSON (v1 Pod, v1 Node,
// batch/v1 Job).
//
// Decoding never fails: what comes from a cluster is the truth, and a pod that
// we did not understand in part must not be lost for it. What is missing or of
// another type has its default. An amount that cannot be read, or is beyond
// kLargestAmount, is kLargestAmount where it is asked for and nothing where it
// is offered, so that misunderstandings never overcommit a node. Manifests
// that people write are checked first (manifest.h).
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

namespace fluxnetes::cluster {

// No node has as much (8 PiB; 9 trillion cores), and sums over a thousand pods
// stay within 64 bits.
inline constexpr std::int64_t kLargestAmount = (std::int64_t{1} << 53) - 1;

// The requests are those that Kubernetes computes: the larger of all containers
// together and of each init container in turn, with the sidecars (init
// containers that are restarted always) that run beside it; plus the overhead;
// limits where requests are absent; one pod. (Kubernetes: "Sidecar Containers",
// resource sharing within containers; "Pod Overhead".)
//
// Of the annotations only those are kept that we read: fluxnetes..., and those
// of Fluence and the coscheduling plugin.
Pod DecodePod(const nlohmann::json& object);

// The amounts are status.allocatable, else status.capacity. Ready unless a
// condition says otherwise.
Node DecodeNode(const nlohmann::json& object);

// A v1 Pod, or the template of a Job: metadata and spec.
PodTemplate DecodePodTemplate(const nlohmann::json& object);

KubernetesJob DecodeJob(const nlohmann::json& object);

// Parts of objects.
LabelMap DecodeLabels(const nlohmann::json& object);
std::optional<Owner> DecodeController(const nlohmann::json& metadata);
// Nothing if it is no integer, or does not fit.
std::optional<std::int32_t> DecodeInteger32(const nlohmann::json& object,
                                            const char* key);

}  // namespace fluxnetes::cluster
