#include "cluster/json/objects.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "cluster/json/job_fields.h"
#include "cluster/json/pod_requests.h"
#include "cluster/json/request_decoder.h"
#include "cluster/json/run.h"
#include "cluster/structures/structure_sources.h"
#include "cluster/text/json_field.h"
#include "cluster/text/timestamp.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;
using Labels = LabelMap;

constexpr const char* kIndexName = "batch.kubernetes.io/job-completion-index";

// Kubernetes' kinds, by API group. Another group's object of the same kind (the
// Job of batch.volcano.sh) is another thing.
std::string OwnersKind(const EncodedValue& owner) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kOwn =
      {{{"Job", "batch"},
        {"CronJob", "batch"},
        {"ReplicaSet", "apps"},
        {"Deployment", "apps"},
        {"StatefulSet", "apps"},
        {"DaemonSet", "apps"},
        {"ReplicationController", ""}}};
  std::string kind = Text(owner, "kind");
  const std::string version = Text(owner, "apiVersion");
  const std::size_t slash = version.find('/');
  const std::string group =
      slash == version.npos ? "" : version.substr(0, slash);
  const auto own =
      std::ranges::find(kOwn, std::string_view(kind),
                        [](const auto& entry) { return entry.first; });
  if (version.empty() || own == kOwn.end() || own->second == group) return kind;
  return group.empty() ? kind : kind + "." + group;
}

bool IsRead(std::string_view annotation) {
  static constexpr std::array<std::string_view, 6> kRead = {
      "fluxnetes",
      "fluence.flux-framework.org/",
      "scheduling.x-k8s.io/",
      "kueue.x-k8s.io/podset-",
      "leaderworkerset.sigs.k8s.io/size",
      "traceparent"};
  static constexpr std::array<std::string_view, 3> kOfRun = {
      kRunSecondsAnnotation, kExitCodeAnnotation, kFailFirstAnnotation};
  return std::ranges::find(kOfRun, annotation) == kOfRun.end() &&
         std::ranges::any_of(kRead, [&](std::string_view prefix) {
           return annotation.starts_with(prefix);
         });
}

std::optional<int> DecodeIndex(const EncodedValue& metadata) {
  for (const char* const place : {"annotations", "labels"}) {
    const std::string text = Text(At(metadata, place), kIndexName);
    int index = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, index);
    if (error == std::errc{} && stop == end && index >= 0) return index;
  }
  return std::nullopt;
}

PodPhase DecodePhase(const std::string& phase) {
  if (phase == "Succeeded") return PodPhase::kSucceeded;
  if (phase == "Failed") return PodPhase::kFailed;
  // Unknown: the node does not respond, but the pod may still run.
  if (phase == "Running" || phase == "Unknown") return PodPhase::kRunning;
  return PodPhase::kPending;
}

std::optional<std::chrono::seconds> DecodeDeadline(const EncodedValue& spec) {
  const auto seconds = DecodeInteger32(spec, "activeDeadlineSeconds");
  if (!seconds || *seconds < 1) return std::nullopt;
  return std::chrono::seconds(*seconds);
}

// Kubernetes: 30 seconds by default.
std::chrono::seconds DecodeGrace(const EncodedValue& spec) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const auto seconds = At(spec, "terminationGracePeriodSeconds").Integer();
  if (!seconds) return Pod{}.grace;
  return std::chrono::seconds(std::clamp<std::int64_t>(*seconds, 0, kMost));
}

void DecodeMetadata(const EncodedValue& metadata, Pod& pod) {
  pod.namespace_name = Text(metadata, "namespace");
  pod.name = Text(metadata, "name");
  pod.uid = Text(metadata, "uid");
  pod.resource_version = Text(metadata, "resourceVersion");
  pod.terminating = At(metadata, "deletionTimestamp").IsTime();
  pod.labels = DecodeLabels(At(metadata, "labels"));
  pod.annotations = DecodeLabels(At(metadata, "annotations"));
  std::erase_if(pod.annotations,
                [](const auto& entry) { return !IsRead(entry.first); });
  pod.controller = DecodeController(metadata);
  pod.completion_index = DecodeIndex(metadata);
  pod.created_at =
      At(metadata, "creationTimestamp").ReadTime().value_or(Time{});
}

void DecodeSpec(const EncodedValue& spec, Pod& pod) {
  pod.scheduler_name = Text(spec, "schedulerName", "default-scheduler");
  pod.node_name = Text(spec, "nodeName");
  pod.scheduling_group = Text(At(spec, "schedulingGroup"), "podGroupName");
  pod.gated = !List(At(spec, "schedulingGates")).empty();
  pod.priority = DecodeInteger32(spec, "priority").value_or(0);
  pod.preempts = Text(spec, "preemptionPolicy") != "Never";
  pod.grace = DecodeGrace(spec);
  pod.active_deadline = DecodeDeadline(spec);
  DecodePlacement(spec, pod.request);
  DecodedClaims claims = DecodeVolumeClaims(spec, pod.name);
  pod.volume_claims = std::move(claims.all);
  pod.ephemeral_claims = std::move(claims.ephemeral);
}

bool DecodeReady(const EncodedValue& status) {
  for (const EncodedValue& condition : List(At(status, "conditions"))) {
    if (Text(condition, "type") == "Ready") {
      return Text(condition, "status") == "True";
    }
  }
  return true;
}

int AtLeastZero(const EncodedValue& object, const char* key, int otherwise) {
  return std::max(0, DecodeInteger32(object, key).value_or(otherwise));
}

}  // namespace

Labels DecodeLabels(const EncodedValue& object) {
  Labels labels;
  for (auto& [name, value] : object.Entries()) {
    if (auto text = value.Text()) labels.insert_or_assign(name, *text);
    if (value.IsNull()) labels.emplace(name, "");  // as Kubernetes reads it
  }
  return labels;
}

std::optional<Owner> DecodeController(const EncodedValue& metadata) {
  for (const EncodedValue& owner : List(At(metadata, "ownerReferences"))) {
    if (Flag(owner, "controller"))
      return Owner{OwnersKind(owner), Text(owner, "name"), Text(owner, "uid")};
  }
  return std::nullopt;
}

std::optional<std::int32_t> DecodeInteger32(const EncodedValue& object,
                                            const char* key) {
  const auto value = At(object, key).Integer();
  if (!value || !std::in_range<std::int32_t>(*value)) return std::nullopt;
  return static_cast<std::int32_t>(*value);
}

Pod DecodePod(const EncodedValue& object) {
  Pod pod;
  DecodeMetadata(At(object, "metadata"), pod);
  DecodeSpec(At(object, "spec"), pod);
  MergeLabelKeys(pod.labels, pod.request);
  PutClaimsInto(pod.namespace_name, pod.request);
  const EncodedValue status = At(object, "status");
  pod.resource_claims = DecodePodClaims(At(object, "spec"), status);
  pod.request.resources = DecodeRequests(At(object, "spec"), status);
  pod.request.guaranteed = IsGuaranteed(At(object, "spec"));
  pod.phase = DecodePhase(Text(status, "phase"));
  pod.reason = Text(status, "reason");
  pod.started = At(status, "startTime").IsTime();
  return pod;
}

Node DecodeNode(const EncodedValue& object) {
  const EncodedValue metadata = At(object, "metadata");
  const EncodedValue spec = At(object, "spec");
  const EncodedValue status = At(object, "status");
  Node node;
  node.name = Text(metadata, "name");
  node.uid = Text(metadata, "uid");
  node.resource_version = Text(metadata, "resourceVersion");
  node.labels = DecodeLabels(At(metadata, "labels"));
  node.allocatable = DecodeOffer(At(status, "allocatable").IsObject()
                                     ? At(status, "allocatable")
                                     : At(status, "capacity"));
  for (const EncodedValue& taint : List(At(spec, "taints"))) {
    node.taints.push_back(
        {Text(taint, "key"), Text(taint, "value"), Text(taint, "effect")});
  }
  node.unschedulable = Flag(spec, "unschedulable");
  node.ready = DecodeReady(status);
  std::string structure =
      Text(At(metadata, "annotations"), kStructureAnnotation);
  if (!structure.empty()) node.structure.Own() = std::move(structure);
  return node;
}

PodTemplate DecodePodTemplate(const Json& object) {
  PodTemplate result;
  const Json& spec = At(object, "spec");
  DecodeMetadata(At(object, "metadata"), result.pod);
  DecodeSpec(spec, result.pod);
  result.pod.resource_claims = DecodePodClaims(spec, nullptr);
  result.pod.request.resources = DecodeRequests(spec, nullptr);
  result.pod.request.guaranteed = IsGuaranteed(spec);
  const std::string restart = Text(spec, "restartPolicy");
  result.restart = restart == "Never"       ? RestartPolicy::kNever
                   : restart == "OnFailure" ? RestartPolicy::kOnFailure
                                            : RestartPolicy::kAlways;
  result.run = DecodeRun(object, result.restart);
  result.priority_class = Text(spec, "priorityClassName");
  return result;
}

KubernetesJob DecodeJob(const Json& object) {
  const Json& metadata = At(object, "metadata");
  const Json& spec = At(object, "spec");
  KubernetesJob job;
  job.namespace_name = Text(metadata, "namespace");
  job.name = Text(metadata, "name");
  job.labels = DecodeLabels(At(metadata, "labels"));
  if (job.labels.empty()) {  // as the API server defaults them
    job.labels =
        DecodeLabels(At(At(At(spec, "template"), "metadata"), "labels"));
  }
  job.annotations = DecodeLabels(At(metadata, "annotations"));
  job.controller = DecodeController(metadata);
  job.parallelism = AtLeastZero(spec, "parallelism", 1);
  if (At(spec, "completions").is_number_integer()) {
    job.completions = AtLeastZero(spec, "completions", 1);
  } else if (At(spec, "parallelism").is_number_integer()) {
    job.completions = std::nullopt;
  }
  job.indexed = Text(spec, "completionMode") == "Indexed";
  DecodeJobEnds(spec, job);
  job.suspend = Flag(spec, "suspend");
  job.pod_template = DecodePodTemplate(At(spec, "template"));
  return job;
}

}  // namespace fluxnetes::cluster
