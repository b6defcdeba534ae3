// Why nodes cannot be used, on small clusters.
#include "services/explain/node_verdicts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace fluxnetes::services {
namespace {

using workers::Scenario;

// A group of pods of 2 cpu that waits in queue "default".
class NodeVerdicts : public ::testing::Test {
 protected:
  NodeVerdicts() {
    scenario_.begin = 1'000;
    scenario_.queues = {{}};
    scenario_.users = {"default"};
    scenario_.requests.emplace_back().request.resources = {.cpu_milli = 2'000,
                                                           .pods = 1};
    scenario_.shapes = {{{.request = 0, .count = 1}}};
    scenario_.groups.emplace_back().name = "default/waits";
  }

  // The reference is good until the next AddNode().
  cluster::Node& AddNode(const std::string& name, std::int64_t cpus = 4) {
    cluster::Node& node = scenario_.nodes.emplace_back();
    node.name = name;
    node.allocatable = {
        .cpu_milli = cpus * 1'000, .memory_bytes = 1 << 20, .pods = 110};
    return node;
  }

  void AddRunning(const std::string& node) {
    scenario_.groups.emplace_back().name = "default/runs";
    scenario_.running.push_back(
        {.group = static_cast<int>(scenario_.groups.size()) - 1,
         .nodes = {node}});
  }

  cluster::PodRequest& request() { return scenario_.requests[0].request; }

  // Returns "kind: why (node node); ..."
  std::string Verdicts() const {
    std::string text;
    for (const NodeVerdict& verdict : JudgeNodes(scenario_, 0, 0, records_))
      text +=
          fmt::format("{}{}: {} ({})", text.empty() ? "" : "; ", verdict.kind,
                      verdict.why, fmt::join(verdict.nodes, " "));
    return text;
  }

  Scenario scenario_;
  NodeRecords records_;
};

TEST_F(NodeVerdicts, FreeNodesComeFirstThenTheMostFrequentReason) {
  AddNode("n0");
  AddNode("n1", 1);
  AddNode("n2", 1);
  AddNode("n3");
  records_.closed["n0"] = "cordoned";
  EXPECT_EQ(Verdicts(),
            "free: room for one or more (n3); size: too small: cpu (n1 n2); "
            "closed: cordoned (n0)");
}

TEST_F(NodeVerdicts, AlignedPodNeedsRoomInOneDomain) {
  request().rules.Own().inside.align = "socket";
  for (const char* name : {"n0", "n1"})
    AddNode(name).structure.Own() = "sockets: 2, cores: 4";
  AddNode("n2");
  AddRunning("n0");
  scenario_.running.back().parts = {"socket0/core0 socket1/core2"};
  EXPECT_EQ(Verdicts(),
            "free: room for one or more (n1); inside: room, but not in one "
            "socket (n0); inside: what it has inside is not known (n2)");
}

TEST_F(NodeVerdicts, NoNodeIsFreeForAPodWhoseDevicesAreNotKnown) {
  AddNode("n0");
  AddNode("n1", 1);
  AddNode("n2");
  records_.reserved["n2"] = "default/first";
  request().rules.Own().resource_claims = {{.name = "gpus"}};
  EXPECT_EQ(Verdicts(),
            "devices: room, if the devices of its claims are free there (n0); "
            "size: too small: cpu (n1); reserved: room, but kept for what is "
            "before it: default/first (n2)");
}

// Two cpus are free in each node, but in one domain of n1 alone.
TEST_F(NodeVerdicts, KubeletsThatPlaceByDomainsNeedRoomInOneToo) {
  request().guaranteed = true;
  for (const char* name : {"n0", "n1", "n2"})
    AddNode(name).structure.Own() = "numa: 2, cores: 4";
  for (std::size_t i = 0; i < 2; ++i)
    scenario_.nodes[i].topology_policy =
        cluster::TopologyPolicy::kSingleNumaNode;
  for (const char* name : {"n0", "n1", "n2"}) {
    AddRunning(name);
    scenario_.running.back().parts = {
        std::string(name) == "n1" ? "socket0/numa0/"
                                  : "socket0/numa0/core0 socket0/numa1/core2"};
  }
  EXPECT_EQ(Verdicts(),
            "free: room for one or more (n1 n2); inside: room, but not in as "
            "few NUMA domains as the kubelet demands (n0)");
}

TEST_F(NodeVerdicts, WhatRunsAndWhatOthersUseIsNotFree) {
  AddNode("n0");
  AddNode("n1");
  AddNode("n2");
  AddRunning("n1");
  EXPECT_EQ(Verdicts(), "free: room for one or more (n0 n1 n2)");
  AddRunning("n1");
  scenario_.others["n2"].used = {.cpu_milli = 2'001};
  EXPECT_EQ(Verdicts(),
            "free: room for one or more (n0); room: too little cpu free "
            "(n1 n2)");
}

TEST_F(NodeVerdicts, WholeNodesAreFreeOfOthers) {
  AddNode("n0");
  AddNode("n1");
  AddNode("n2");
  AddRunning("n1");
  scenario_.others["n2"].occupants = 1;
  request().rules.Own().topology.whole_nodes = true;
  EXPECT_EQ(Verdicts(),
            "free: room for one or more (n0); room: not free of others "
            "(n1 n2)");
}

TEST_F(NodeVerdicts, ResourcesAreNamedInWords) {
  AddNode("n0").allocatable.pods = 0;
  AddNode("n1").allocatable.SetExtended("hugepages-2Mi", 2 << 20);
  AddNode("n2").allocatable.SetExtended("hugepages-2Mi", 8 << 20);
  scenario_.others["n2"].used.SetExtended("hugepages-2Mi", 6 << 20);
  request().resources.SetExtended("hugepages-2Mi", 4 << 20);
  EXPECT_EQ(Verdicts(),
            "size: too small: pods (n0); size: too small: hugepages of 2Mi "
            "(n1); room: too few hugepages of 2Mi free (n2)");
}

TEST_F(NodeVerdicts, LabelsAndTaintsAndTheQueueKeepPodsOff) {
  AddNode("n0").labels = {{"disk", "hdd"}, {"pool", "batch"}};
  AddNode("n1").labels = {{"disk", "ssd"}};
  AddNode("n2").labels = {{"disk", "ssd"}, {"pool", "batch"}};
  AddNode("n3").labels = {{"disk", "ssd"}, {"pool", "batch"}};
  scenario_.nodes.back().taints = {{"team", "red", "NoSchedule"}};
  scenario_.queues[0].node_selector = {{"pool", "batch"}};
  request().node_selector = {{"disk", "ssd"}};
  EXPECT_EQ(Verdicts(),
            "free: room for one or more (n2); labels: not as the node selector "
            "or affinity asks (n0); queue: not of queue default (n1); taints: "
            "taints that are not tolerated (n3)");
}

TEST_F(NodeVerdicts, MaintenanceCountsIfItBeginsBeforeTheGroupWouldEnd) {
  AddNode("n0");
  AddNode("n1");
  scenario_.maintenance.push_back({.id = 1,
                                   .nodes = {"n0"},
                                   .node_selector = {},
                                   .start = 1'060,
                                   .end = {}});
  EXPECT_EQ(Verdicts(),
            "free: room for one or more (n1); maintenance: maintenance before "
            "it would end (n0)");
  scenario_.groups[0].duration = 60;
  EXPECT_EQ(Verdicts(), "free: room for one or more (n0 n1)");
  scenario_.groups[0].duration = 61;
  scenario_.maintenance[0].end = 999;
  EXPECT_EQ(Verdicts(), "free: room for one or more (n0 n1)");
}

TEST_F(NodeVerdicts, NodesThatAreKeptForThoseBeforeItAreToldApart) {
  AddNode("n0");
  AddNode("n1", 1);
  records_.reserved = {{"n0", "default/first"}, {"n1", "default/first"}};
  EXPECT_EQ(Verdicts(),
            "reserved: room, but kept for what is before it: default/first "
            "(n0); size: too small: cpu (n1)");
}

}  // namespace
}  // namespace fluxnetes::services
