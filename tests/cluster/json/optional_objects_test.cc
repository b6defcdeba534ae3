#include "cluster/json/optional_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cluster/json/object_writer.h"
#include "cluster/json/objects.h"

namespace fluxnetes::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Json = nlohmann::json;

TEST(OptionalObjects, CoschedulingGroupSaysItsSizeResourcesAndTimeout) {
  const PodGroup group = DecodePodGroup(PodGroupApi::kCoscheduling, R"({
      "metadata": {"namespace": "team", "name": "train", "uid": "u",
                   "resourceVersion": "7"},
      "spec": {"minMember": 3, "scheduleTimeoutSeconds": 10,
               "minResources": {"cpu": "1500m", "memory": "2Gi",
                                "nvidia.com/gpu": 4}}})"_json);
  EXPECT_EQ(group.name,
            (PodGroupName{PodGroupApi::kCoscheduling, "team", "train"}));
  EXPECT_EQ(group.uid, "u");
  EXPECT_EQ(group.resource_version, "7");
  EXPECT_EQ(group.min_members, 3);
  EXPECT_EQ(group.schedule_timeout, std::chrono::seconds(10));
  ASSERT_TRUE(group.min_resources);
  EXPECT_EQ(group.min_resources->cpu_milli, 1500);
  EXPECT_EQ(group.min_resources->memory_bytes, std::int64_t{2} << 30);
  EXPECT_EQ(group.min_resources->Extended("nvidia.com/gpu"), 4);
}

TEST(OptionalObjects, NativeGroupSaysItsConstraintsPriorityAndClaims) {
  const PodGroup group = DecodePodGroup(PodGroupApi::kNative, R"({
      "metadata": {"namespace": "team", "name": "train"},
      "spec": {"schedulingPolicy": {"gang": {"minCount": 3}}, "priority": 7,
               "schedulingConstraints": {
                   "topology": [{"key": "topology.kubernetes.io/rack"}]},
               "resourceClaims": [{"name": "fabric"}]}})"_json);
  EXPECT_EQ(group.min_members, 3);
  EXPECT_EQ(group.priority, 7);
  EXPECT_THAT(group.topology, ElementsAre("topology.kubernetes.io/rack"));
  EXPECT_THAT(group.resource_claims, ElementsAre("fabric"));
}

TEST(OptionalObjects, StatusOfAPodGroupIsWhatIsWritten) {
  PodGroupNews news;
  news.group = {PodGroupApi::kCoscheduling, "team", "train"};
  news.uid = "u";
  news.resource_version = "7";
  news.status = {.phase = "Running",
                 .occupied_by = "team/job",
                 .scheduled = 4,
                 .running = 3,
                 .succeeded = 2,
                 .failed = 1};
  Json written = Json::parse(WriteGroupStatusPatch(news, {}));
  EXPECT_EQ(written["metadata"],
            Json({{"uid", "u"}, {"resourceVersion", "7"}}));
  EXPECT_EQ(DecodePodGroup(PodGroupApi::kCoscheduling, written).status,
            news.status);
  // Newer versions of the plugin do not show the number of scheduled pods.
  written["status"].erase("scheduled");
  PodGroupStatus shown =
      DecodePodGroup(PodGroupApi::kCoscheduling, written).status;
  EXPECT_TRUE(SaysSo(shown, news.status));
  shown.running = 4;
  EXPECT_FALSE(SaysSo(shown, news.status));
}

TEST(OptionalObjects, ConditionOfANativePodGroupIsDatedWhenItTurns) {
  PodGroupNews news;
  news.group = {PodGroupApi::kNative, "team", "train"};
  news.status.condition = "False";
  news.status.reason = "Unschedulable";
  news.status.message = "no room";
  for (const bool turned : {true, false}) {
    news.turned = turned;
    const Json written = Json::parse(WriteGroupStatusPatch(news, {}));
    EXPECT_EQ(DecodePodGroup(PodGroupApi::kNative, written).status,
              news.status);
    EXPECT_EQ(written["status"]["conditions"][0].contains("lastTransitionTime"),
              turned);
  }
}

TEST(OptionalObjects, AmountOfAGroupThatCannotBeReadIsTheLargest) {
  const PodGroup group =
      DecodePodGroup(PodGroupApi::kCoscheduling,
                     R"({"spec": {"minResources": {"cpu": "much"}}})"_json);
  EXPECT_EQ(group.min_resources->cpu_milli, kLargestAmount);
  EXPECT_EQ(group.min_members, std::nullopt);
}

TEST(OptionalObjects, NativeGroupIsAGangOrBasicOrNeither) {
  const auto decode = [](const char* policy) {
    return DecodePodGroup(
        PodGroupApi::kNative,
        Json{{"metadata", {{"name", "a"}}},
             {"spec", {{"schedulingPolicy", Json::parse(policy)}}}});
  };
  EXPECT_EQ(decode(R"({"gang": {"minCount": 8}})").min_members, 8);
  EXPECT_FALSE(decode(R"({"gang": {"minCount": 8}})").unknown_policy);
  EXPECT_EQ(decode(R"({"basic": {}})").min_members, std::nullopt);
  EXPECT_FALSE(decode(R"({"basic": {}})").unknown_policy);
  EXPECT_TRUE(decode(R"({"flock": {}})").unknown_policy);
  EXPECT_EQ(decode(R"({"gang": {"minCount": 3000000000}})").min_members,
            std::nullopt);
}

TEST(OptionalObjects, VolumeSaysWhereItCanBeUsedAndWhoHasIt) {
  const Volume volume = DecodeVolume(R"({
      "metadata": {"name": "pv1", "uid": "u", "resourceVersion": "3",
                   "labels": {"topology.kubernetes.io/zone": "a"}},
      "spec": {"capacity": {"storage": "10Gi"},
               "accessModes": ["ReadWriteOnce"], "storageClassName": "fast",
               "claimRef": {"namespace": "team", "name": "data", "uid": "c"},
               "nodeAffinity": {"required": {"nodeSelectorTerms": [
                 {"matchExpressions": [{"key": "host", "operator": "In",
                                        "values": ["n1"]}]}]}}},
      "status": {"phase": "Bound"}})"_json);
  EXPECT_EQ(volume.name, "pv1");
  EXPECT_EQ(volume.capacity_bytes, std::int64_t{10} << 30);
  EXPECT_EQ(volume.storage_class, "fast");
  EXPECT_EQ(volume.claim_namespace + "/" + volume.claim_name, "team/data");
  EXPECT_EQ(volume.claim_uid, "c");
  EXPECT_EQ(volume.phase, "Bound");
  EXPECT_EQ(volume.labels.at("topology.kubernetes.io/zone"), "a");
  EXPECT_THAT(volume.access_modes, ElementsAre("ReadWriteOnce"));
  ASSERT_EQ(volume.node_affinity.size(), 1U);
  EXPECT_EQ(volume.node_affinity[0][0],
            (NodeRequirement{"host", "In", {"n1"}, false}));
  EXPECT_THAT(DecodeVolume("{}"_json).node_affinity, IsEmpty());
}

TEST(OptionalObjects, ClaimSaysWhatItWantsAndHowFarItIs) {
  const VolumeClaim claim = DecodeVolumeClaim(R"({
      "metadata": {"namespace": "team", "name": "data", "uid": "u",
                   "deletionTimestamp": "2026-01-01T00:00:00Z",
                   "annotations": {
                     "pv.kubernetes.io/bind-completed": "yes",
                     "volume.kubernetes.io/selected-node": "n1"},
                   "ownerReferences": [{"kind": "Pod", "name": "p",
                                        "uid": "o", "controller": true}]},
      "spec": {"volumeName": "pv1", "storageClassName": "",
               "volumeMode": "Block",
               "resources": {"requests": {"storage": "1Gi"}},
               "selector": {"matchLabels": {"a": "b"},
                            "matchExpressions": [
                              {"key": "c", "operator": "Exists"}]}},
      "status": {"phase": "Pending"}})"_json);
  EXPECT_EQ(Key(claim), "team/data");
  EXPECT_EQ(claim.volume_name, "pv1");
  EXPECT_EQ(claim.storage_class, "");
  EXPECT_TRUE(claim.block);
  EXPECT_EQ(claim.requested_bytes, std::int64_t{1} << 30);
  EXPECT_EQ(claim.selector.at("a"), "b");
  EXPECT_EQ(claim.selector_expressions.at(0).key, "c");
  EXPECT_EQ(claim.phase, "Pending");
  EXPECT_TRUE(claim.bind_completed);
  EXPECT_EQ(claim.selected_node, "n1");
  EXPECT_TRUE(claim.terminating);
  EXPECT_EQ(claim.controller->uid, "o");
  EXPECT_EQ(DecodeVolumeClaim("{}"_json).storage_class, std::nullopt);
}

TEST(OptionalObjects, StorageClassSaysWhetherItWaitsAndWhere) {
  const StorageClass fast = DecodeStorageClass(R"({
      "metadata": {"name": "fast"}, "provisioner": "disk.example",
      "volumeBindingMode": "WaitForFirstConsumer",
      "allowedTopologies": [{"matchLabelExpressions": [
          {"key": "zone", "values": ["a", "b"]}]}]})"_json);
  EXPECT_TRUE(fast.waits_for_consumer);
  EXPECT_EQ(fast.provisioner, "disk.example");
  EXPECT_EQ(fast.allowed_topologies.at(0).at(0),
            (NodeRequirement{"zone", "In", {"a", "b"}, false}));
  EXPECT_FALSE(DecodeStorageClass(R"({"volumeBindingMode": "Immediate"})"_json)
                   .waits_for_consumer);
}

TEST(OptionalObjects, WhatMakesNoSenseHasItsDefault) {
  for (const char* text : {"null", "[]", "7", R"({"metadata": 3, "spec": []})",
                           R"({"spec": {"selector": 1, "capacity": "x"}})"}) {
    const Json json = Json::parse(text);
    EXPECT_EQ(DecodeVolume(json), Volume{});
    EXPECT_EQ(DecodeVolumeClaim(json), VolumeClaim{});
    EXPECT_EQ(DecodeStorageClass(json), StorageClass{});
    EXPECT_EQ(DecodeNamespace(json), Namespace{});
    EXPECT_EQ(DecodePodGroup(PodGroupApi::kCoscheduling, json), PodGroup{});
  }
}

TEST(OptionalObjects, NodeTopologySaysWhatItsZonesHave) {
  const NodeTopology topology = DecodeNodeTopology(R"({
      "metadata": {"name": "n1", "resourceVersion": "7"},
      "topologyPolicies": ["BestEffort"],
      "attributes": [
        {"name": "topologyManagerScope", "value": "pod"},
        {"name": "topologyManagerPolicy", "value": "single-numa-node"}],
      "zones": [
        {"name": "node-1", "type": "Node",
         "costs": [{"name": "node-0", "value": 21},
                   {"name": "node-1", "value": 10}, {"name": "x", "value": 3}],
         "resources": [
           {"name": "cpu", "capacity": "32", "allocatable": "31500m",
            "available": 8},
           {"name": "memory", "capacity": "9Gi", "allocatable": "8Gi",
            "available": "1Gi"},
           {"name": "nvidia.com/gpu", "capacity": "2", "allocatable": "2",
            "available": "0"}]},
        {"name": "core-7", "type": "Core"},
        {"name": "node-0", "type": "Node"}]})"_json);
  EXPECT_EQ(topology.fault, "");
  EXPECT_EQ(topology.name, "n1");
  EXPECT_EQ(topology.resource_version, "7");
  EXPECT_EQ(topology.policy, TopologyPolicy::kSingleNumaNode);
  ASSERT_EQ(topology.zones.size(), 2U);
  EXPECT_EQ(topology.zones[0], TopologyZone{});
  const TopologyZone& zone = topology.zones[1];
  EXPECT_EQ(zone.numa.number, 1);
  EXPECT_EQ(zone.costs, (std::map<int, int>{{0, 21}, {1, 10}}));
  EXPECT_EQ(zone.numa.allocatable.cpu_milli, 31'500);
  EXPECT_EQ(zone.numa.allocatable.memory_bytes, std::int64_t{8} << 30);
  EXPECT_EQ(zone.numa.allocatable.Extended("nvidia.com/gpu"), 2);
  EXPECT_EQ(zone.numa.available.cpu_milli, 8'000);
  EXPECT_EQ(zone.numa.available.Extended("nvidia.com/gpu"), 0);
}

TEST(OptionalObjects, PolicyOfATopologyIsReadInItsOlderFormToo) {
  const auto policy_of = [](const std::string& json) {
    return DecodeNodeTopology(Json::parse(json)).policy;
  };
  EXPECT_EQ(policy_of(R"({"topologyPolicies": ["SingleNUMANodePodLevel"]})"),
            TopologyPolicy::kSingleNumaNode);
  EXPECT_EQ(policy_of(R"({"topologyPolicies": ["RestrictedContainerLevel"]})"),
            TopologyPolicy::kRestricted);
  EXPECT_EQ(policy_of(R"({"topologyPolicies": ["SingleNUMANodePodLevel"],
                          "attributes": [{"name": "topologyManagerPolicy",
                                          "value": "none"}]})"),
            TopologyPolicy::kNone);
  EXPECT_EQ(policy_of("{}"), TopologyPolicy::kNone);
}

TEST(OptionalObjects, TopologyThatMakesNoSenseSaysWhereAndHasNoZones) {
  const auto fault_of = [](const std::string& zones) {
    const NodeTopology topology =
        DecodeNodeTopology(Json::parse("{\"zones\": " + zones + "}"));
    EXPECT_TRUE(topology.zones.empty());
    return topology.fault;
  };
  const std::string good = R"({"name": "node-0", "type": "Node"})";
  EXPECT_EQ(fault_of("[" + good + R"(, {"name": "a", "type": "Node"}])"),
            "zones[1].name: \"a\" does not end in a number, as in node-0");
  EXPECT_EQ(fault_of("[" + good + ", " + good + "]"),
            "zones[1].name: the domain 0 is there twice");
  EXPECT_EQ(fault_of(R"([{"name": "node-0", "type": "Node", "resources": [
                          {"name": "cpu", "allocatable": "2x"}]}])")
                .substr(0, 36),
            "zones[0].resources[0].allocatable: q");
  std::string many = good;
  for (int i = 0; i < kMostZones; ++i) many += ", " + good;
  EXPECT_EQ(fault_of("[" + many + "]"), "zones: there are more than 64");
  for (const char* text : {"null", "7", "[7]", "{}"}) {
    EXPECT_EQ(fault_of(text), "");
  }
}

}  // namespace
}  // namespace fluxnetes::cluster
