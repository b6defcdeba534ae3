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

TEST(TopologyLabels, WhatCannotBeUsedIsRefusedWithWhatWouldBeRight) {
  EXPECT_EQ(ReadMarks({{kTopologyRequiredLabel, "rakc"}}),
            "label fluxnetes.topology-required is \"rakc\": it is not a level; "
            "it must be host, rack, zone or region; an annotation of the same "
            "name may be the key of another label of nodes");
  EXPECT_THAT(ReadMarks({{kTopologyPreferredLabel, ""}}),
              HasSubstr("fluxnetes.topology-preferred is \"\""));
  EXPECT_THAT(ReadMarks({}, {{kTopologyRequiredLabel, "a b"}}),
              HasSubstr("annotation fluxnetes.topology-required is \"a b\": it "
                        "is not the key of a label; it must be host, rack"));
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
  const GroupLabels labels = ReadGroupLabels(right, {});
  EXPECT_EQ(labels.topology.required, "topology.kubernetes.io/rack");
  EXPECT_EQ(labels.refused, "");
  EXPECT_EQ(WhyLabelsAreRefused(right, true), "");
  const cluster::Pod wrong = PodWithMarks({{kTopologyRequiredLabel, "row"}});
  EXPECT_THAT(WhyLabelsAreRefused(wrong, true), HasSubstr("not a level"));
  EXPECT_THAT(WhyLabelsAreRefused(wrong, false), HasSubstr("not a level"));
}

TEST(TopologyLabels, KeysAreTriedFromThePreferredOne) {
  EXPECT_THAT(KeysOf({}), ::testing::IsEmpty());
  EXPECT_THAT(KeysOf({"zone", "rack"}), ::testing::ElementsAre("rack", "zone"));
  EXPECT_THAT(KeysOf({"zone", "zone"}), ::testing::ElementsAre("zone"));
  EXPECT_THAT(KeysOf({"", "rack"}), ::testing::ElementsAre("rack"));
}

}  // namespace
}  // namespace fluxnetes::workers
