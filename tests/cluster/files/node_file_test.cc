#include "cluster/files/node_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace fluxnetes::cluster {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;

std::string WhyNoNodes(const std::string& text) {
  try {
    return "accepted " + std::to_string(ReadNodes(text, "n.yaml").size());
  } catch (const InputError& error) {
    return error.what();
  }
}

std::string WhyGroupRefused(const std::string& group) {
  return WhyNoNodes("nodes: [" + group + "]");
}

TEST(NodeFile, ShortFormMakesManyNodes) {
  const auto nodes = ReadNodes(R"(
nodes:
  - count: 3
    name: node
    cpu: 32
    memory: 128Gi
    ephemeral-storage: 1Ti
    resources: {nvidia.com/gpu: 8}
    zone: a
    rack: r1
    labels: {disk: ssd}
    taints: [{key: team, value: red, effect: NoSchedule}]
  - {name: big, cpu: 1500m, memory: 1Gi, pods: 10, unschedulable: true}
)",
                               "n.yaml");
  ASSERT_EQ(nodes.size(), 4U);
  EXPECT_EQ(nodes[2].name, "node2");
  EXPECT_EQ(nodes[2].allocatable,
            (Resources{.cpu_milli = 32'000,
                       .memory_bytes = 128LL << 30,
                       .ephemeral_bytes = 1LL << 40,
                       .pods = 110,
                       .extended = {{"nvidia.com/gpu", 8}}}));
  EXPECT_THAT(
      nodes[2].labels,
      ElementsAre(Pair("disk", "ssd"), Pair("kubernetes.io/hostname", "node2"),
                  Pair("topology.kubernetes.io/rack", "r1"),
                  Pair("topology.kubernetes.io/zone", "a")));
  EXPECT_THAT(nodes[2].taints, ElementsAre(Taint{"team", "red", "NoSchedule"}));
  EXPECT_TRUE(nodes[2].ready);
  EXPECT_EQ(nodes[3].name, "big");
  EXPECT_EQ(nodes[3].allocatable.cpu_milli, 1'500);
  EXPECT_EQ(nodes[3].allocatable.pods, 10);
  EXPECT_TRUE(nodes[3].unschedulable);
}

TEST(NodeFile, ManifestsAreReadToo) {
  const auto nodes = ReadNodes(
      "{kind: Node, apiVersion: v1, metadata: {name: a}, status: {capacity: "
      "{cpu: 1, memory: 1Gi}}}\n---\n{kind: List, items: [{kind: Node, "
      "apiVersion: v1, metadata: {name: b}, status: {capacity: {cpu: 1, "
      "memory: 1Gi}}}]}",
      "n.yaml");
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[1].name, "b");
  EXPECT_THAT(
      WhyNoNodes("{kind: Pod, apiVersion: v1, metadata: {name: a}, spec: "
                 "{containers: [{name: c, image: x}]}}"),
      HasSubstr("Pod \"a\": is no Node"));
}

TEST(NodeFile, NodeWithoutCpuOrMemoryIsRefused) {
  EXPECT_THAT(
      WhyGroupRefused("{name: a, memory: 1Gi}"),
      AllOf(StartsWith("n.yaml:1: nodes[0]"), HasSubstr("cpu is missing")));
  EXPECT_THAT(WhyGroupRefused("{name: a, cpu: 0, memory: 1Gi}"),
              HasSubstr("nodes[0].cpu: a node needs cpu"));
  EXPECT_THAT(WhyGroupRefused("{name: a, cpu: 1}"),
              HasSubstr("nodes[0].memory is missing"));
}

TEST(NodeFile, CountsThatMakeNoClusterAreRefused) {
  EXPECT_THAT(
      WhyGroupRefused("{count: 0, name: a, cpu: 1, memory: 1Gi}"),
      HasSubstr("nodes[0].count is 0; it must be a whole number from 1"));
  EXPECT_THAT(WhyGroupRefused("{count: -3, name: a, cpu: 1, memory: 1Gi}"),
              HasSubstr("nodes[0].count is -3"));
  EXPECT_THAT(WhyGroupRefused("{count: ten, name: a, cpu: 1, memory: 1Gi}"),
              HasSubstr("nodes[0].count is \"ten\""));
  EXPECT_THAT(
      WhyGroupRefused("{count: 2147483647, name: a, cpu: 1, memory: 1Gi}"),
      HasSubstr("more than 100000 nodes"));
  EXPECT_THAT(WhyNoNodes("nodes: []"), HasSubstr("at least one"));
  EXPECT_THAT(WhyNoNodes("nodes: 3"), HasSubstr("at least one"));
  EXPECT_THAT(WhyNoNodes(""), HasSubstr("holds no node"));
}

TEST(NodeFile, NamesMustBeUniqueAndValid) {
  EXPECT_THAT(WhyGroupRefused("{name: a, cpu: 1, memory: 1Gi}, "
                              "{name: a, cpu: 1, memory: 1Gi}"),
              HasSubstr("nodes[1]: the node \"a\" is there twice"));
  EXPECT_THAT(WhyGroupRefused("{name: 'A b', cpu: 1, memory: 1Gi}"),
              HasSubstr("nodes[0].name is \"A b\""));
}

TEST(NodeFile, WhatIsNotKnownIsRefused) {
  EXPECT_THAT(
      WhyNoNodes("nodes: [{name: a, cpu: 1, memory: 1Gi}]\nzone: west\n"),
      HasSubstr("does not know \"zone\"; it may have nodes"));
  EXPECT_THAT(WhyGroupRefused("{name: a, cpus: 1, memory: 1Gi}"),
              HasSubstr("nodes[0]: does not know \"cpus\"; it may have count"));
  EXPECT_THAT(WhyGroupRefused("7"), HasSubstr("must be a mapping"));
}

TEST(NodeFile, QuantitiesAreChecked) {
  EXPECT_THAT(WhyGroupRefused("{name: a, cpu: 12x, memory: 1Gi}"),
              HasSubstr("nodes[0].cpu: quantity \"12x\""));
  EXPECT_THAT(WhyGroupRefused("{name: a, cpu: 1, memory: 9Ei}"),
              HasSubstr("needs more than 64 bits"));
  EXPECT_THAT(WhyGroupRefused("{name: a, cpu: 1, memory: 1Gi, "
                              "resources: {gpu: -1}}"),
              HasSubstr("nodes[0].resources[\"gpu\"]"));
}

TEST(NodeFile, StructureIsATextOrAMapping) {
  const auto nodes = ReadNodes(R"(
nodes:
  - count: 2
    name: node
    cpu: 7500m
    memory: 4Gi
    resources: {nvidia.com/gpu: 2}
    structure: "sockets: 2, numa: 2, cores: 8, gpus: 2"
    topology-policy: single-numa-node
  - name: map
    cpu: 8
    memory: 4Gi
    structure: {sockets: 2, cores: 8, memory: 4Gi}
    topology-policy: none
)",
                               "n.yaml");
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_EQ(*nodes[1].structure, "sockets: 2, numa: 2, cores: 8, gpus: 2");
  EXPECT_EQ(&*nodes[0].structure, &*nodes[1].structure);
  EXPECT_EQ(nodes[1].topology_policy, TopologyPolicy::kSingleNumaNode);
  EXPECT_EQ(*nodes[2].structure, "cores: 8, memory: 4Gi, sockets: 2");
  EXPECT_EQ(nodes[2].topology_policy, TopologyPolicy::kNone);
}

TEST(NodeFile, StructureThatIsNotThatOfTheNodeIsRefused) {
  const auto why = [](const std::string& more) {
    return WhyGroupRefused("{name: a, cpu: 8, memory: 4Gi, " + more + "}");
  };
  EXPECT_EQ(why("structure: 'cores: x'"),
            "n.yaml:1: nodes[0].structure: cores: \"x\" is not a number from 1 "
            "to 10000");
  EXPECT_EQ(why("structure: {cores: [8]}"),
            "n.yaml:1: nodes[0].structure.cores: must be a number, or an "
            "amount such as 512Gi");
  EXPECT_THAT(why("structure: 8"), HasSubstr("nodes[0].structure: must be a"));
  EXPECT_EQ(why("structure: 'cores: 16'"),
            "n.yaml:1: nodes[0].structure: has 16 cores, but the node has 8 "
            "cpus");
  EXPECT_THAT(why("structure: 'cores: 8, gpus: 2'"),
              HasSubstr("nodes[0].structure: has 2 gpus, but the node has 0"));
  EXPECT_THAT(why("structure: {cores: 8, memory: 2Gi}"),
              HasSubstr("has 2048Mi of memory, but the node has 4096Mi"));
  EXPECT_THAT(why("topology-policy: restricted"),
              HasSubstr("nodes[0].topology-policy: needs a structure"));
  EXPECT_THAT(why("topology-policy: best"),
              HasSubstr("nodes[0].topology-policy is \"best\""));
  EXPECT_THAT(WhyGroupRefused("{name: a, cpu: 16, memory: 4Gi, structure: "
                              "{numa: 16, cores: 16}, topology-policy: "
                              "restricted}"),
              HasSubstr("knows at most 8 NUMA domains; the structure has 16"));
}

TEST(NodeFile, ManifestHasItsStructureInAnAnnotation) {
  const auto manifest = [](const std::string& structure) {
    return "{kind: Node, apiVersion: v1, metadata: {name: a, annotations: "
           "{fluxnetes.structure: '" +
           structure +
           "'}}, status: {capacity: {cpu: 4, memory: 1Gi}, allocatable: {cpu: "
           "3500m, memory: 1Gi}}}";
  };
  const auto nodes = ReadNodes(manifest("cores: 4"), "n.yaml");
  EXPECT_EQ(*nodes.at(0).structure, "cores: 4");
  EXPECT_THAT(WhyNoNodes(manifest("cores: 2")),
              HasSubstr("metadata.annotations[\"fluxnetes.structure\"] shows 2 "
                        "cores, but the node has 3 cpus"));
  EXPECT_THAT(WhyNoNodes(manifest("cores")),
              HasSubstr("metadata.annotations[\"fluxnetes.structure\"]: "
                        "\"cores\" is not one of"));
}

}  // namespace
}  // namespace fluxnetes::cluster
