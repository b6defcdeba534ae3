#include "cluster/structures/structure_sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "cluster/structures/structure_texts.h"

namespace fluxnetes::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::shared_ptr<const Node> NodeWith(const std::string& structure,
                                     const std::string& pool = "",
                                     const std::string& name = "n1") {
  Node node;
  node.name = name;
  node.allocatable.cpu_milli = 4'000;
  if (!pool.empty()) node.labels["pool"] = pool;
  if (!structure.empty()) node.structure.Own() = structure;
  return std::make_shared<const Node>(std::move(node));
}

NodeTopology TopologyOf(std::int64_t cpus) {
  NodeTopology topology;
  topology.name = "n1";
  topology.policy = TopologyPolicy::kSingleNumaNode;
  if (cpus > 0) topology.zones.emplace_back();
  for (TopologyZone& zone : topology.zones)
    zone.numa.allocatable.cpu_milli = cpus * 1'000;
  return topology;
}

StructureSources WithFile() {
  return StructureSources({{"pool", "thin", "cores: 4", "s.yaml:1"},
                           {"pool", "fat", "sockets: 2, cores: 4", "s.yaml:2"},
                           {"pool", "thin", "cores: 8", "s.yaml:3"}});
}

TEST(StructureSources, TheTopologyCountsBeforeTheAnnotationBeforeTheFile) {
  StructureSources sources = WithFile();
  EXPECT_EQ(*sources.Combine(NodeWith("", "thin"), nullptr)->structure,
            "cores: 4");
  EXPECT_EQ(*sources.Combine(NodeWith("", "fat"), nullptr)->structure,
            "sockets: 2, cores: 4");
  EXPECT_FALSE(
      sources.Combine(NodeWith("", "other"), nullptr)->structure.Any());
  EXPECT_EQ(*sources.Combine(NodeWith("numa: 2, cores: 4", "thin"), nullptr)
                 ->structure,
            "numa: 2, cores: 4");
  const NodeTopology topology = TopologyOf(4);
  const auto node =
      sources.Combine(NodeWith("numa: 2, cores: 4", "thin"), &topology);
  EXPECT_THAT(*node->structure, HasSubstr("/numa0/core0"));
  EXPECT_EQ(node->topology_policy, TopologyPolicy::kSingleNumaNode);
  EXPECT_EQ(node->zones.size(), 1U);
  // It has no zones, so it says nothing of the structure.
  const NodeTopology policy_alone = TopologyOf(0);
  const auto other = sources.Combine(NodeWith("", "thin"), &policy_alone);
  EXPECT_EQ(*other->structure, "cores: 4");
  EXPECT_EQ(other->topology_policy, TopologyPolicy::kSingleNumaNode);
  EXPECT_THAT(sources.TakeWarnings(), IsEmpty());
}

TEST(StructureSources, OneThatCannotBeUsedLeavesTheNodeWithoutAndIsToldOnce) {
  StructureSources sources = WithFile();
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(sources.Combine(NodeWith("cores: x", "thin"), nullptr)
                     ->structure.Any());
  }
  EXPECT_THAT(
      sources.TakeWarnings(),
      ElementsAre(
          "node n1: annotation fluxnetes.structure: cores: \"x\" is not "
          "a number from 1 to 10000"));
  EXPECT_FALSE(
      sources.Combine(NodeWith("cores: y", "thin"), nullptr)->structure.Any());
  EXPECT_EQ(sources.TakeWarnings().size(), 1U);
  // It is mended, and wrong again.
  sources.Combine(NodeWith("cores: 4"), nullptr);
  sources.Combine(NodeWith("cores: y"), nullptr);
  EXPECT_EQ(sources.TakeWarnings().size(), 1U);
  NodeTopology topology;
  topology.fault = "zones[0].name: \"x\" does not end in a number";
  EXPECT_FALSE(
      sources.Combine(NodeWith("cores: 4"), &topology)->structure.Any());
  EXPECT_THAT(sources.TakeWarnings(),
              ElementsAre("node n1: NodeResourceTopology: zones[0].name: \"x\" "
                          "does not end in a number"));
}

TEST(StructureSources, OneThatShowsLessThanTheNodeOffersIsUsedAndTold) {
  StructureSources sources;
  EXPECT_TRUE(sources.Combine(NodeWith("cores: 3"), nullptr)->structure.Any());
  EXPECT_THAT(sources.TakeWarnings(),
              ElementsAre("node n1: annotation fluxnetes.structure: it shows 3 "
                          "cores, but the node has 4 cpus"));
  // What is kept for the system is in the structure, too.
  EXPECT_TRUE(sources.Combine(NodeWith("cores: 5"), nullptr)->structure.Any());
  EXPECT_THAT(sources.TakeWarnings(), IsEmpty());
}

TEST(StructureSources, NodesOfOneTextShareIt) {
  StructureSources sources;
  const auto first = sources.Share(NodeWith("cores: 4", "", "n1"));
  const auto second = sources.Share(NodeWith("cores: 4", "", "n2"));
  EXPECT_EQ(&*first->structure, &*second->structure);
  EXPECT_EQ(&*sources.Combine(first, nullptr)->structure,
            &*sources.Combine(second, nullptr)->structure);
  const NodeTopology topology = TopologyOf(4);
  EXPECT_EQ(&*sources.Combine(first, &topology)->structure,
            &*sources.Combine(second, &topology)->structure);
}

TEST(StructureSources, SaysWhatDisagrees) {
  StructureTexts texts;
  Resources amounts;
  amounts.cpu_milli = 3'500;
  amounts.memory_bytes = std::int64_t{2} << 30;
  amounts.SetExtended("amd.com/gpu", 2);
  const auto differs = [&](const std::string& text, bool exactly) {
    return WhatDisagrees(texts.Read(text), amounts, exactly);
  };
  EXPECT_EQ(differs("cores: 4, gpus: 2, memory: 2Gi", true), "");
  EXPECT_EQ(differs("cores: 5, gpus: 2", true),
            "5 cores, but the node has 4 cpus");
  EXPECT_EQ(differs("cores: 5, gpus: 2", false), "");
  EXPECT_EQ(differs("cores: 4, gpus: 1", false),
            "1 gpus, but the node has 2 of amd.com/gpu");
  EXPECT_EQ(differs("cores: 4, gpus: 3", true),
            "3 gpus, but the node has 2 of amd.com/gpu");
  EXPECT_EQ(differs("cores: 4, gpus: 2, memory: 1Gi", true),
            "1024Mi of memory, but the node has 2048Mi");
}

}  // namespace
}  // namespace fluxnetes::cluster
