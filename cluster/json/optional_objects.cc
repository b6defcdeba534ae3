#include "cluster/json/optional_objects.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cluster/json/objects.h"
#include "cluster/json/pod_requests.h"
#include "cluster/json/request_decoder.h"
#include "cluster/text/json_field.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;

constexpr const char* kFluencePrefix = "fluence.flux-framework.org/";
constexpr const char* kPodGroupScheduled = "PodGroupScheduled";
constexpr const char* kSelectedNode = "volume.kubernetes.io/selected-node";
constexpr const char* kBindCompleted = "pv.kubernetes.io/bind-completed";

// Returns an amount of storage; nothing if it is unreadable.
std::int64_t Storage(const Json& amounts) {
  Json storage = Json::object();
  storage["ephemeral-storage"] = At(amounts, "storage");
  return DecodeOffer(storage).ephemeral_bytes;
}

}  // namespace

Namespace DecodeNamespace(const Json& object) {
  const Json& metadata = At(object, "metadata");
  Namespace result;
  result.name = Text(metadata, "name");
  result.resource_version = Text(metadata, "resourceVersion");
  result.labels = DecodeLabels(At(metadata, "labels"));
  return result;
}

StorageClass DecodeStorageClass(const Json& object) {
  const Json& metadata = At(object, "metadata");
  StorageClass result;
  result.name = Text(metadata, "name");
  result.resource_version = Text(metadata, "resourceVersion");
  result.provisioner = Text(object, "provisioner");
  result.waits_for_consumer =
      Text(object, "volumeBindingMode") == "WaitForFirstConsumer";
  for (const Json& json : List(At(object, "allowedTopologies"))) {
    NodeSelectorTerm& term = result.allowed_topologies.emplace_back();
    for (const Json& one : List(At(json, "matchLabelExpressions"))) {
      term.push_back({Text(one, "key"), "In", Texts(At(one, "values")), false});
    }
  }
  return result;
}

Volume DecodeVolume(const Json& object) {
  const Json& metadata = At(object, "metadata");
  const Json& spec = At(object, "spec");
  const Json& claim = At(spec, "claimRef");
  Volume result;
  result.name = Text(metadata, "name");
  result.uid = Text(metadata, "uid");
  result.resource_version = Text(metadata, "resourceVersion");
  result.terminating = !Text(metadata, "deletionTimestamp").empty();
  result.labels = DecodeLabels(At(metadata, "labels"));
  result.storage_class = Text(spec, "storageClassName");
  result.capacity_bytes = Storage(At(spec, "capacity"));
  result.access_modes = Texts(At(spec, "accessModes"));
  result.block = Text(spec, "volumeMode") == "Block";
  result.claim_namespace = Text(claim, "namespace");
  result.claim_name = Text(claim, "name");
  result.claim_uid = Text(claim, "uid");
  result.phase = Text(At(object, "status"), "phase");
  result.node_affinity =
      DecodeNodeSelector(At(At(spec, "nodeAffinity"), "required"));
  return result;
}

VolumeClaim DecodeVolumeClaim(const Json& object) {
  const Json& metadata = At(object, "metadata");
  const Json& annotations = At(metadata, "annotations");
  const Json& spec = At(object, "spec");
  const Json& selector = At(spec, "selector");
  VolumeClaim result;
  result.namespace_name = Text(metadata, "namespace");
  result.name = Text(metadata, "name");
  result.uid = Text(metadata, "uid");
  result.resource_version = Text(metadata, "resourceVersion");
  result.terminating = !Text(metadata, "deletionTimestamp").empty();
  result.controller = DecodeController(metadata);
  result.volume_name = Text(spec, "volumeName");
  if (At(spec, "storageClassName").is_string()) {
    result.storage_class = Text(spec, "storageClassName");
  }
  result.requested_bytes = Storage(At(At(spec, "resources"), "requests"));
  result.access_modes = Texts(At(spec, "accessModes"));
  result.block = Text(spec, "volumeMode") == "Block";
  result.selector = DecodeLabels(At(selector, "matchLabels"));
  result.selector_expressions =
      DecodeNodeSelectorTerm(At(selector, "matchExpressions"));
  result.phase = Text(At(object, "status"), "phase");
  result.bind_completed = !Text(annotations, kBindCompleted).empty();
  result.selected_node = Text(annotations, kSelectedNode);
  return result;
}

JobAnnotations DecodeJobAnnotations(const Json& object) {
  const Json& metadata = At(object, "metadata");
  const Json& spec = At(object, "spec");
  const Json& of_pods = At(At(spec, "template"), "metadata");
  JobAnnotations result;
  result.uid = Text(metadata, "uid");
  result.resource_version = Text(metadata, "resourceVersion");
  for (const Json* const of : {&of_pods, &metadata}) {
    for (const char* const place : {"labels", "annotations"}) {
      const Json& entries = At(*of, place);
      if (!entries.is_object()) continue;
      for (const auto& [name, value] : entries.items()) {
        if (name.starts_with(kFluencePrefix) && value.is_string()) {
          result.annotations.emplace(name, value.get<std::string>());
        }
      }
    }
  }
  result.parallelism = DecodeInteger32(spec, "parallelism").value_or(1);
  return result;
}

namespace {

PodGroupStatus DecodeGroupStatus(const Json& json) {
  PodGroupStatus status;
  status.phase = Text(json, "phase");
  status.occupied_by = Text(json, "occupiedBy");
  status.scheduled = DecodeInteger32(json, "scheduled");
  status.running = DecodeInteger32(json, "running").value_or(0);
  status.succeeded = DecodeInteger32(json, "succeeded").value_or(0);
  status.failed = DecodeInteger32(json, "failed").value_or(0);
  for (const Json& condition : List(At(json, "conditions"))) {
    if (Text(condition, "type") != kPodGroupScheduled) continue;
    status.condition = Text(condition, "status");
    status.reason = Text(condition, "reason");
    status.message = Text(condition, "message");
  }
  return status;
}

}  // namespace

PodGroup DecodePodGroup(PodGroupApi api, const Json& object) {
  const Json& metadata = At(object, "metadata");
  const Json& spec = At(object, "spec");
  PodGroup result;
  result.name = {api, Text(metadata, "namespace"), Text(metadata, "name")};
  result.uid = Text(metadata, "uid");
  result.resource_version = Text(metadata, "resourceVersion");
  result.status = DecodeGroupStatus(At(object, "status"));
  if (api == PodGroupApi::kNative) {
    const Json& policy = At(spec, "schedulingPolicy");
    const Json& gang = At(policy, "gang");
    result.min_members = DecodeInteger32(gang, "minCount");
    result.unknown_policy =
        !gang.is_object() && !At(policy, "basic").is_object();
    result.priority = DecodeInteger32(spec, "priority");
    for (const Json& each :
         List(At(At(spec, "schedulingConstraints"), "topology")))
      result.topology.push_back(Text(each, "key"));
    for (const Json& claim : List(At(spec, "resourceClaims")))
      result.resource_claims.push_back(Text(claim, "name"));
    return result;
  }
  result.min_members = DecodeInteger32(spec, "minMember");
  if (At(spec, "minResources").is_object()) {
    result.min_resources = DecodeAmounts(At(spec, "minResources"));
  }
  if (const auto seconds = DecodeInteger32(spec, "scheduleTimeoutSeconds")) {
    result.schedule_timeout = std::chrono::seconds(*seconds);
  }
  return result;
}

}  // namespace fluxnetes::cluster
