#include "cluster/json/optional_objects.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "cluster/json/objects.h"
#include "cluster/json/pod_requests.h"
#include "cluster/json/request_decoder.h"
#include "cluster/text/json_field.h"
#include "cluster/text/quantity.h"
#include "cluster/text/quote.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;

constexpr const char* kPodGroupScheduled = "PodGroupScheduled";
constexpr const char* kSelectedNode = "volume.kubernetes.io/selected-node";
constexpr const char* kBindCompleted = "pv.kubernetes.io/bind-completed";

}  // namespace

Namespace DecodeNamespace(const EncodedValue& object) {
  const EncodedValue metadata = At(object, "metadata");
  Namespace result;
  result.name = Text(metadata, "name");
  result.resource_version = Text(metadata, "resourceVersion");
  result.labels = DecodeLabels(At(metadata, "labels"));
  return result;
}

StorageClass DecodeStorageClass(const EncodedValue& object) {
  const EncodedValue metadata = At(object, "metadata");
  StorageClass result;
  result.name = Text(metadata, "name");
  result.resource_version = Text(metadata, "resourceVersion");
  result.provisioner = Text(object, "provisioner");
  result.waits_for_consumer =
      Text(object, "volumeBindingMode") == "WaitForFirstConsumer";
  for (const EncodedValue& json : List(At(object, "allowedTopologies"))) {
    NodeSelectorTerm& term = result.allowed_topologies.emplace_back();
    for (const EncodedValue& one : List(At(json, "matchLabelExpressions"))) {
      term.push_back({Text(one, "key"), "In", Texts(At(one, "values")), false});
    }
  }
  return result;
}

Volume DecodeVolume(const EncodedValue& object) {
  const EncodedValue metadata = At(object, "metadata");
  const EncodedValue spec = At(object, "spec");
  const EncodedValue claim = At(spec, "claimRef");
  Volume result;
  result.name = Text(metadata, "name");
  result.uid = Text(metadata, "uid");
  result.resource_version = Text(metadata, "resourceVersion");
  result.terminating = At(metadata, "deletionTimestamp").IsTime();
  result.labels = DecodeLabels(At(metadata, "labels"));
  result.storage_class = Text(spec, "storageClassName");
  result.capacity_bytes = DecodeStorage(At(spec, "capacity"));
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

VolumeClaim DecodeVolumeClaim(const EncodedValue& object) {
  const EncodedValue metadata = At(object, "metadata");
  const EncodedValue annotations = At(metadata, "annotations");
  const EncodedValue spec = At(object, "spec");
  const EncodedValue selector = At(spec, "selector");
  VolumeClaim result;
  result.namespace_name = Text(metadata, "namespace");
  result.name = Text(metadata, "name");
  result.uid = Text(metadata, "uid");
  result.resource_version = Text(metadata, "resourceVersion");
  result.terminating = At(metadata, "deletionTimestamp").IsTime();
  result.controller = DecodeController(metadata);
  result.volume_name = Text(spec, "volumeName");
  result.storage_class = At(spec, "storageClassName").Text();
  result.requested_bytes = DecodeStorage(At(At(spec, "resources"), "requests"));
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

JobAnnotations DecodeJobAnnotations(const EncodedValue& object) {
  const EncodedValue metadata = At(object, "metadata");
  const EncodedValue spec = At(object, "spec");
  const EncodedValue of_pods = At(At(spec, "template"), "metadata");
  JobAnnotations result;
  result.uid = Text(metadata, "uid");
  result.resource_version = Text(metadata, "resourceVersion");
  for (const EncodedValue* const of : {&of_pods, &metadata}) {
    for (const char* const place : {"labels", "annotations"}) {
      for (const auto& [name, value] : At(*of, place).Entries()) {
        const auto text = value.Text();
        if (IsJobAnnotation(name) && text)
          result.annotations.emplace(name, *text);
      }
    }
  }
  result.parallelism = DecodeInteger32(spec, "parallelism").value_or(1);
  return result;
}

namespace {

PodGroupStatus DecodeGroupStatus(const EncodedValue& json) {
  PodGroupStatus status;
  status.phase = Text(json, "phase");
  status.occupied_by = Text(json, "occupiedBy");
  status.scheduled = DecodeInteger32(json, "scheduled");
  status.running = DecodeInteger32(json, "running").value_or(0);
  status.succeeded = DecodeInteger32(json, "succeeded").value_or(0);
  status.failed = DecodeInteger32(json, "failed").value_or(0);
  for (const EncodedValue& condition : List(At(json, "conditions"))) {
    if (Text(condition, "type") != kPodGroupScheduled) continue;
    status.condition = Text(condition, "status");
    status.reason = Text(condition, "reason");
    status.message = Text(condition, "message");
  }
  return status;
}

}  // namespace

PodGroup DecodePodGroup(PodGroupApi api, const EncodedValue& object) {
  const EncodedValue metadata = At(object, "metadata");
  const EncodedValue spec = At(object, "spec");
  PodGroup result;
  result.name = {api, Text(metadata, "namespace"), Text(metadata, "name")};
  result.uid = Text(metadata, "uid");
  result.resource_version = Text(metadata, "resourceVersion");
  result.status = DecodeGroupStatus(At(object, "status"));
  if (api == PodGroupApi::kNative) {
    const EncodedValue policy = At(spec, "schedulingPolicy");
    const EncodedValue gang = At(policy, "gang");
    result.min_members = DecodeInteger32(gang, "minCount");
    result.unknown_policy = !gang.IsObject() && !At(policy, "basic").IsObject();
    result.priority = DecodeInteger32(spec, "priority");
    for (const EncodedValue& each :
         List(At(At(spec, "schedulingConstraints"), "topology")))
      result.topology.push_back(Text(each, "key"));
    for (const EncodedValue& claim : List(At(spec, "resourceClaims")))
      result.resource_claims.push_back(Text(claim, "name"));
    return result;
  }
  result.min_members = DecodeInteger32(spec, "minMember");
  if (At(spec, "minResources").IsObject()) {
    result.min_resources = DecodeAmounts(At(spec, "minResources"));
  }
  if (const auto seconds = DecodeInteger32(spec, "scheduleTimeoutSeconds")) {
    result.schedule_timeout = std::chrono::seconds(*seconds);
  }
  return result;
}

namespace {

constexpr std::size_t kMostZoneResources = 100;

// "node-3" is the domain 3.
std::optional<int> NumberOf(const std::string& zone) {
  const auto digits = zone.find_last_not_of("0123456789") + 1;
  int number = 0;
  const char* const end = zone.data() + zone.size();
  const auto [stop, error] = std::from_chars(zone.data() + digits, end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

// Reads zones, and puts the first fault into the topology.
class ZoneReader {
 public:
  explicit ZoneReader(NodeTopology& topology) : topology_(topology) {}

  void Read(const Json& zones) {
    if (List(zones).size() > kMostZones) {
      return Fail("zones", "there are more than " + std::to_string(kMostZones));
    }
    for (std::size_t i = 0; i < List(zones).size(); ++i) {
      if (Text(zones[i], "type") == "Node")
        ReadZone(zones[i], "zones[" + std::to_string(i) + "]");
    }
    std::ranges::sort(topology_.zones, {}, [](const TopologyZone& zone) {
      return zone.numa.number;
    });
    if (!topology_.fault.empty()) topology_.zones.clear();
  }

 private:
  void Fail(const std::string& place, const std::string& what) {
    if (topology_.fault.empty()) topology_.fault = place + ": " + what;
  }

  std::optional<int> ReadName(const Json& object, const std::string& place) {
    const std::string name = Text(object, "name");
    const auto number = NumberOf(name);
    if (!number) {
      Fail(place + ".name",
           Quote(name) + " does not end in a number, as in node-0");
    }
    return number;
  }

  void ReadZone(const Json& json, const std::string& place) {
    const auto number = ReadName(json, place);
    if (!number) return;
    const auto same = [&](const TopologyZone& zone) {
      return zone.numa.number == *number;
    };
    if (std::ranges::any_of(topology_.zones, same)) {
      return Fail(place + ".name",
                  "the domain " + std::to_string(*number) + " is there twice");
    }
    TopologyZone zone;
    zone.numa.number = *number;
    for (const Json& cost : List(At(json, "costs"))) {
      const auto to = NumberOf(Text(cost, "name"));
      const auto value = DecodeInteger32(cost, "value");
      if (to && value) zone.costs.emplace(*to, *value);
    }
    const auto& resources = List(At(json, "resources"));
    if (resources.size() > kMostZoneResources) {
      return Fail(place + ".resources",
                  "there are more than " + std::to_string(kMostZoneResources));
    }
    Json allocatable = Json::object();
    Json available = Json::object();
    for (std::size_t i = 0; i < resources.size(); ++i) {
      const std::string at = place + ".resources[" + std::to_string(i) + "].";
      const std::string name = Text(resources[i], "name");
      ReadAmount(resources[i], "allocatable", at, allocatable[name]);
      ReadAmount(resources[i], "available", at, available[name]);
    }
    zone.numa.allocatable = DecodeOffer(allocatable);
    zone.numa.available = DecodeOffer(available);
    topology_.zones.push_back(std::move(zone));
  }

  void ReadAmount(const Json& resource, const char* key,
                  const std::string& place, Json& amount) {
    const Json& value = At(resource, key);
    if (value.is_null()) return;
    try {
      if (!value.is_number_unsigned())
        ParseQuantity(value.is_string() ? value.get<std::string>() : "");
      amount = value;
    } catch (const std::invalid_argument& error) {
      Fail(place + key, error.what());
    }
  }

  NodeTopology& topology_;
};

TopologyPolicy PolicyOf(const Json& object) {
  std::string policy;
  for (const std::string& each : Texts(At(object, "topologyPolicies")))
    policy = each;  // before there were attributes
  for (const Json& attribute : List(At(object, "attributes"))) {
    if (Text(attribute, "name") == "topologyManagerPolicy")
      policy = Text(attribute, "value");
  }
  if (policy == "single-numa-node" || policy.starts_with("SingleNUMANode"))
    return TopologyPolicy::kSingleNumaNode;
  if (policy == "restricted" || policy.starts_with("Restricted"))
    return TopologyPolicy::kRestricted;
  return TopologyPolicy::kNone;
}

}  // namespace

NodeTopology DecodeNodeTopology(const Json& object) {
  const Json& metadata = At(object, "metadata");
  NodeTopology result;
  result.name = Text(metadata, "name");
  result.resource_version = Text(metadata, "resourceVersion");
  result.policy = PolicyOf(object);
  ZoneReader(result).Read(At(object, "zones"));
  return result;
}

}  // namespace fluxnetes::cluster
