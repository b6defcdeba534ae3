#include "workers/pods/topology_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workers/pods/group_labels.h"

namespace fluxnetes::workers {
namespace {

using ::testing::HasSubstr;
using Marks = std::map<std::string, std::string>;

cluster::Pod PodWithMarks(const Marks& labels, const Marks& annotations = {}) {
  cluster::Pod pod;
  pod.namespace_name = "science";
  pod.name = "train-0";
  pod.labels = labels;
  pod.annotations = annotations;
  return pod;
}

// "required < preferred", or the reason of the refusal.
std::string ReadMarks(const Marks& labels, const Marks& annotations = {}) {
  const auto read = ReadTopologyLabels(PodWithMarks(labels, annotations));
  if (!read.refused.empty()) return read.refused;
  return read.topology.required + " < " + read.topology.preferred;
}

TEST(TopologyLabels, LevelsAreLabelsOfNodes) {
  EXPECT_EQ(ReadMarks({}), " < ");
  EXPECT_EQ(ReadMarks({{kTopologyRequiredLabel, "zone"},
                       {kTopologyPreferredLabel, "rack"}}),
            "topology.kubernetes.io/zone < topology.kubernetes.io/rack");
  EXPECT_EQ(ReadMarks({{kTopologyRequiredLabel, "host"}}),
            "kubernetes.io/hostname < ");
  EXPECT_EQ(ReadMarks({{kTopologyPreferredLabel, "region"}}),
            " < topology.kubernetes.io/region");
}

TEST(TopologyLabels, AnnotationMayNameAnyLabelOfNodes) {
  EXPECT_EQ(ReadMarks({}, {{kTopologyRequiredLabel, "example.com/block"}}),
            "example.com/block < ");
  EXPECT_EQ(ReadMarks({}, {{kTopologyRequiredLabel, "rack"}}),
            "topology.kubernetes.io/rack < ");
  EXPECT_EQ(
      ReadMarks({{kTopologyRequiredLabel, "rack"}},
                {{kTopologyRequiredLabel, "topology.kubernetes.io/rack"}}),
      "topology.kubernetes.io/rack < ");
  // The width of an unknown label is unknown, so any combination is accepted.
  EXPECT_EQ(ReadMarks({{kTopologyPreferredLabel, "zone"}},
                      {{kTopologyRequiredLabel, "example.com/block"}}),
            "example.com/block < topology.kubernetes.io/zone");
}

TEST(TopologyLabels, ExclusiveGroupHasItsNodesForItself) {
  const auto read = [](const std::string& value) {
    return ReadTopologyLabels(PodWithMarks({{kExclusiveLabel, value}}));
  };
  EXPECT_TRUE(read("true").topology.whole_nodes);
  EXPECT_FALSE(read("false").topology.whole_nodes);
  EXPECT_EQ(read("yes").refused,
            "label fluxnetes.exclusive is \"yes\": it says whether the group "
            "has its nodes for itself; it must be true or false");
}

TEST(TopologyLabels, PodOfADaemonSetIsAside) {
  cluster::Pod pod = PodWithMarks({});
  EXPECT_FALSE(ReadTopologyLabels(pod).topology.aside);
  pod.controller = cluster::Owner{"DaemonSet", "logs", "1"};
  EXPECT_TRUE(ReadTopologyLabels(pod).topology.aside);
  pod.labels[kExclusiveLabel] = "true";
  EXPECT_EQ(ReadTopologyLabels(pod).refused,
            "label fluxnetes.exclusive is \"true\": a pod of a DaemonSet "
            "shares its node with all others; it must be left out");
}

// "required | preferred", each as "key:pods,...,key".
std::string ReadParts(const Marks& annotations) {
  const auto read = ReadTopologyLabels(PodWithMarks({}, annotations));
  if (!read.refused.empty()) return read.refused;
  const auto show = [](const auto& parts, const std::string& all) {
    std::string text;
    for (const auto& part : parts)
      text += part.key + ":" + std::to_string(part.pods) + ",";
    return text + all;
  };
  return show(read.topology.required_parts, read.topology.required) + " | " +
         show(read.topology.preferred_parts, read.topology.preferred);
}

TEST(TopologyLabels, ListNamesThePodsOfEachLevel) {
  EXPECT_EQ(
      ReadParts({{kTopologyRequiredLabel, "rack:16,example.com/block:48,zone"},
                 {kTopologyPreferredLabel, "host:4"}}),
      "topology.kubernetes.io/rack:16,example.com/block:48,"
      "topology.kubernetes.io/zone | kubernetes.io/hostname:4,");
  EXPECT_EQ(ReadParts({{kTopologyRequiredLabel, "rack:16"}}),
            "topology.kubernetes.io/rack:16, | ");
}

TEST(TopologyLabels, AnnotationsOfKueueAreRead) {
  const std::string kueue = "kueue.x-k8s.io/podset-";
  EXPECT_EQ(ReadParts({{kueue + "required-topology", "example.com/block"},
                       {kueue + "slice-required-topology", "example.com/rack"},
                       {kueue + "slice-size", "16"}}),
            "example.com/rack:16,example.com/block | ");
  EXPECT_EQ(ReadParts({{kueue + "preferred-topology", "example.com/rack"}}),
            " | example.com/rack");
  EXPECT_EQ(ReadParts({{kueue + "required-topology", "example.com/block"},
                       {kTopologyRequiredLabel, "rack"}}),
            "topology.kubernetes.io/rack | ");
  EXPECT_EQ(ReadParts({{kueue + "slice-size", "16"}}),
            "annotation kueue.x-k8s.io/podset-slice-size is \"16\": no level "
            "of the slices is named; it must be accompanied by the annotation "
            "kueue.x-k8s.io/podset-slice-required-topology");
  EXPECT_EQ(ReadParts({{kueue + "slice-required-topology", "example.com/rack"},
                       {kueue + "slice-size", "many"}}),
            "annotation kueue.x-k8s.io/podset-slice-size is \"many\": it is "
            "the number of pods of each slice; it must be a whole number from "
            "1 on");
}

TEST(TopologyLabels, ListThatIsNotNestedIsRefused) {
  const auto required = [](const std::string& value) {
    return ReadParts({{kTopologyRequiredLabel, value}});
  };
  EXPECT_THAT(required("rack:16,zone:40"),
              HasSubstr("40 is not a multiple of 16; it must be a list of "
                        "levels in which each number divides the next"));
  EXPECT_THAT(required("rack,zone:40"),
              HasSubstr("\"rack\" has no number of pods"));
  EXPECT_THAT(required("rack:0"), HasSubstr("has no number of pods"));
  EXPECT_THAT(required("rack:16,,zone"),
              HasSubstr("is not the key of a label"));
  EXPECT_THAT(ReadParts({{kTopologyRequiredLabel, "zone:40"},
                         {kTopologyPreferredLabel, "rack:16"}}),
              HasSubstr("fluxnetes.topology-preferred is "
                        "\"topology.kubernetes.io/rack:16\": 40 pods are "
                        "required in one topology.kubernetes.io/zone"));
}

TEST(TopologyLabels, PodsPerNodeAreExactlyOrAtMostSoMany) {
  const auto read = [](const std::string& value) {
    return ReadTopologyLabels(PodWithMarks({{kPodsPerNodeLabel, value}}));
  };
  EXPECT_EQ(read("4").topology.per_node, (cluster::PodsPerNode{4, false}));
  EXPECT_EQ(read("at-most-4").topology.per_node,
            (cluster::PodsPerNode{4, true}));
  for (const char* wrong : {"", "0", "-1", "four", "at-most-", "4 "})
    EXPECT_THAT(read(wrong).refused,
                HasSubstr("it must be a whole number from 1 on, such as 4, or "
                          "at-most-4"));
}

cluster::GroupTopology InRacks(std::int32_t pods) {
  cluster::GroupTopology topology;
  topology.required = "zone";
  topology.required_parts = {{"rack", pods}};
  return topology;
}

TEST(TopologyLabels, NumbersDivideTheSizeOfTheGroupOrThePodsThatAsk) {
  EXPECT_EQ(WhyNotDivided(InRacks(16), 32, 32), "");
  EXPECT_EQ(WhyNotDivided(InRacks(16), 33, 32), "");
  EXPECT_EQ(
      WhyNotDivided(InRacks(16), 40, 40),
      "fluxnetes.topology-required is \"rack:16\": the group has 40 pods; "
      "it must be a number that divides it");
  EXPECT_EQ(
      WhyNotDivided(InRacks(16), 33, 31),
      "fluxnetes.topology-required is \"rack:16\": the group has 33 pods, "
      "and 31 of them ask for it; it must be a number that divides it");
  cluster::GroupTopology topology;
  topology.per_node = {4, false};
  EXPECT_EQ(WhyNotDivided(topology, 6, 6),
            "label fluxnetes.pods-per-node is \"4\": the group has 6 pods; it "
            "must be a number that divides it, or at-most-4");
  topology.per_node.at_most = true;
  EXPECT_EQ(WhyNotDivided(topology, 6, 6), "");
}

// Of a larger group it is not known yet how many pods ask for it.
TEST(TopologyLabels, NumberOfALonePodIsRefusedAtOnce) {
  cluster::Pod pod = PodWithMarks({{kPodsPerNodeLabel, "4"}}, {});
  EXPECT_THAT(ReadGroupLabels(pod, cluster::ClusterCache()).refused,
              HasSubstr("the group has 1 pod;"));
  pod.labels[kGroupNameLabel] = "train";
  pod.labels[kGroupSizeLabel] = "6";
  EXPECT_EQ(ReadGroupLabels(pod, cluster::ClusterCache()).refused, "");
}

TEST(TopologyLabels, PodsThatAskForNoneAdoptThatOfTheOthers) {
  cluster::GroupTopology none;
  none.pools = {{"licences", 2}};
  EXPECT_TRUE(AsksForNone(none));
  EXPECT_FALSE(AsksForNone(InRacks(2)));
  const cluster::GroupTopology counted = Adopted(none, InRacks(3), 9);
  EXPECT_TRUE(counted.adopted);
  EXPECT_FALSE(counted.uncounted);
  EXPECT_EQ(counted.pools, none.pools);
  EXPECT_EQ(counted.required_parts, InRacks(3).required_parts);
  const cluster::GroupTopology uncounted = Adopted(none, InRacks(4), 9);
  EXPECT_TRUE(uncounted.uncounted);
  // What is recorded of it is what it asks for, as long as it asks for none.
  EXPECT_TRUE(IsSameTopology(none, uncounted));
  EXPECT_FALSE(IsSameTopology(InRacks(4), uncounted));
  EXPECT_FALSE(IsSameTopology({}, uncounted));  // other pools
  EXPECT_FALSE(IsSameTopology({}, InRacks(4)));
  EXPECT_TRUE(AgreesWith(none, uncounted));
  EXPECT_TRUE(AgreesWith({}, InRacks(4)));
  EXPECT_FALSE(AgreesWith(InRacks(3), InRacks(4)));
}

TEST(TopologyLabels, WhatCannotBeUsedIsRefusedWithWhatWouldBeRight) {
  EXPECT_EQ(ReadMarks({{kTopologyRequiredLabel, "rakc"}}),
            "label fluxnetes.topology-required is \"rakc\": it is not a level; "
            "it must be host, rack, zone or region; an annotation of the same "
            "name may be the key of another label of nodes");
  EXPECT_THAT(ReadMarks({{kTopologyPreferredLabel, ""}}),
              HasSubstr("fluxnetes.topology-preferred is \"\""));
  EXPECT_THAT(ReadMarks({}, {{kTopologyRequiredLabel, "a b"}}),
              HasSubstr("annotation fluxnetes.topology-required is \"a b\": "
                        "\"a b\" is not the key of a label; it must be host, "
                        "rack"));
  EXPECT_EQ(ReadMarks({{kTopologyRequiredLabel, "rack"}},
                      {{kTopologyRequiredLabel, "example.com/block"}}),
            "label and annotation fluxnetes.topology-required are \"rack\" and "
            "\"example.com/block\": they must be the same");
}

TEST(TopologyLabels, PreferredLevelThatIsWiderIsRefused) {
  EXPECT_EQ(ReadMarks({{kTopologyRequiredLabel, "rack"},
                       {kTopologyPreferredLabel, "zone"}}),
            "fluxnetes.topology-preferred is \"zone\": it is wider than rack, "
            "which is required; it must be host or rack");
  EXPECT_EQ(ReadMarks({{kTopologyRequiredLabel, "rack"},
                       {kTopologyPreferredLabel, "rack"}}),
            "topology.kubernetes.io/rack < topology.kubernetes.io/rack");
}

TEST(TopologyLabels, AreReadWithTheGroupAndKnownBeforeItIsCreated) {
  const cluster::Pod right = PodWithMarks({{kTopologyRequiredLabel, "rack"}});
  const GroupLabels labels = ReadGroupLabels(right, cluster::ClusterCache());
  EXPECT_EQ(labels.topology.required, "topology.kubernetes.io/rack");
  EXPECT_EQ(labels.refused, "");
  const cluster::JobAnnotations job;
  EXPECT_EQ(WhyLabelsAreRefused(right, &job), "");
  const cluster::Pod wrong = PodWithMarks({{kTopologyRequiredLabel, "row"}});
  const QueueTopologies none;
  EXPECT_THAT(ReadGroupTerms(wrong, cluster::ClusterCache(), &none).refused,
              HasSubstr("not a level"));
  // Before it is created its queue is not known, which may name the level.
  EXPECT_EQ(WhyLabelsAreRefused(wrong, &job), "");
}

TEST(TopologyLabels, KeysAreTriedFromThePreferredOne) {
  EXPECT_THAT(KeysOf({}), ::testing::IsEmpty());
  EXPECT_THAT(KeysOf({"zone", "rack"}), ::testing::ElementsAre("rack", "zone"));
  EXPECT_THAT(KeysOf({"zone", "zone"}), ::testing::ElementsAre("zone"));
  EXPECT_THAT(KeysOf({"", "rack"}), ::testing::ElementsAre("rack"));
}

TEST(TopologyLabels, QueueNamesLevelsAndTheirOrder) {
  const TopologyOrder order = {"example.com/datacentre", "example.com/block",
                               "example.com/rack"};
  const auto read = [&](const cluster::Pod& pod) {
    return ReadTopologyLabels(pod, order);
  };
  EXPECT_EQ(
      read(PodWithMarks({{kTopologyRequiredLabel, "block"}})).topology.required,
      "example.com/block");
  // It goes before the level of that name which each queue has.
  EXPECT_EQ(
      read(PodWithMarks({{kTopologyRequiredLabel, "rack"}})).topology.required,
      "example.com/rack");
  EXPECT_EQ(
      read(PodWithMarks({{kTopologyRequiredLabel, "zone"}})).topology.required,
      "topology.kubernetes.io/zone");
  EXPECT_EQ(
      read(PodWithMarks({{kTopologyRequiredLabel, "row"}})).refused,
      "label fluxnetes.topology-required is \"row\": it is not a level; "
      "it must be rack, block, datacentre, host, rack, zone or region; an "
      "annotation of the same name may be the key of another label of "
      "nodes");
  EXPECT_NE(read(PodWithMarks({{kTopologyRequiredLabel, "rack"},
                               {kTopologyPreferredLabel, "block"}}))
                .refused,
            "");
  EXPECT_EQ(read(PodWithMarks({{kTopologyRequiredLabel, "block"},
                               {kTopologyPreferredLabel, "rack"}}))
                .refused,
            "");
  const auto list = [&](const char* levels) {
    return read(PodWithMarks({}, {{kTopologyRequiredLabel, levels}})).refused;
  };
  EXPECT_EQ(list("rack:2,block:4,datacentre"), "");
  EXPECT_NE(list("block:2,rack:4"), "");
  EXPECT_NE(list("rack:2,rack:4"), "");
  // Where it is not known what the queue names, any word may be a level.
  EXPECT_EQ(ReadTopologyLabels(PodWithMarks({{kTopologyRequiredLabel, "row"}}),
                               std::nullopt)
                .refused,
            "");
}

}  // namespace
}  // namespace fluxnetes::workers
