// Gangs whose tasks have all in one domain of their nodes: what they take
// inside of them, and the devices of their claims.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "matcher/devices/devices_text.h"
#include "matcher/gangs/explanation.h"
#include "matcher/gangs/node_graph.h"
#include "matcher/inside/node_interior.h"
#include "matcher/inside/short_structure.h"
#include "matcher/node_devices/node_devices.h"

namespace fluxnetes::matcher {
namespace {

constexpr Policy kAlignedPolicy = Policy::kLonode;
constexpr const char* kNumaNode = "resource.kubernetes.io/numaNode";

// One node with 2 sockets and 4 NUMA domains of 4 cpus, and devices in them:
// "gpu0" to "gpu3" and "nic0" to "nic3", of two drivers.
class AlignedNode {
 public:
  // `numa`: the domain of each GPU; -1: it does not say it.
  explicit AlignedNode(const std::vector<int>& gpus,
                       const std::string& structure =
                           "sockets: 2, numa: 4, "
                           "cores: 16") {
    node = graph.AddNode("node0", 0, std::vector<std::int64_t>{16});
    if (!structure.empty())
      graph.SetInside(node, ReadShortStructure(structure));
    PutClass("gpu");
    PutClass("nic");
    Put("gpu", gpus, kNumaNode);
  }

  void PutClass(const std::string& kind) {
    DeviceClass each;
    each.name = kind;
    each.selectors = {"device.driver == \"" + kind + ".example.com\""};
    graph.devices().SetClass(each);
  }

  void Put(const std::string& kind, const std::vector<int>& numa,
           const std::string& attribute) {
    DeviceSlice slice;
    slice.name = kind;
    slice.driver = kind + ".example.com";
    slice.pool = "node0";
    slice.nodes.node = "node0";
    for (std::size_t i = 0; i < numa.size(); ++i) {
      Device device;
      device.name = kind + std::to_string(i);
      if (numa[i] >= 0) device.attributes[attribute] = std::int64_t{numa[i]};
      slice.devices.push_back(device);
    }
    graph.devices().SetSlice(slice);
  }

  static DeviceRequest Want(const std::string& kind, int count) {
    DeviceChoice choice;
    choice.device_class = kind;
    choice.count = count;
    choice.all = count == 0;
    return {kind, {choice}};
  }

  // Tasks of so many cpus, GPUs and NICs; no GPUs: all of the node.
  TaskGroup Group(int count, std::int64_t cpus, Align align, int gpus,
                  int nics = 0, bool required = true,
                  const std::string& shared = "") {
    InsideWish wish;
    wish.align = align;
    wish.align_required = required;
    wish.cpus = cpus;
    DeviceClaim claim;
    claim.name = "claim";
    claim.shared = shared;
    claim.requests = {Want("gpu", gpus)};
    DeviceClaim of_nics;
    of_nics.name = "nics";
    of_nics.requests = {Want("nic", nics)};
    TaskGroup group;
    group.amounts = {cpus};
    group.count = count;
    group.inside = graph.TakeInside(RequestOf(wish));
    TaskDevices devices{{claim}};
    if (nics > 0) devices.claims.push_back(of_nics);
    group.devices = graph.devices().Take(devices);
    return group;
  }

  // "socket0/numa0/core[0-1]: gpu0 nic0", a line for each task; "": no place.
  std::vector<std::string> Place(JobId job, const TaskGroup& group) {
    const auto placed =
        graph.TryAllocate(job, Gang{{group}}, kAlignedPolicy, /*now=*/0);
    std::vector<std::string> lines;
    for (std::size_t t = 0; placed && t < placed->parts.size(); ++t) {
      lines.push_back(placed->parts[t] + ":");
      for (const AllocatedDevice& each : ReadDevices(placed->devices[t]))
        lines.back() += " " + each.id.device;
    }
    return lines;
  }

  std::string WhyNot(const TaskGroup& group) {
    const auto why = graph.ExplainDevices(node, group, {0, kForever, 0});
    return why ? why->text : "";
  }

  NodeGraph graph{{"cpu"}};
  NodeIndex node = 0;
};

using Lines = std::vector<std::string>;

TEST(GangAligned, CpusAndDevicesAreInOneNumaDomain) {
  AlignedNode node({2, 2, 3, 3});
  node.Put("nic", {0, 1, 2, 3}, "nic.example.com/numaNode");
  const TaskGroup group = node.Group(3, 2, Align::kNuma, 1, 1);
  // The third would have a GPU, but no NIC beside it.
  EXPECT_EQ(node.Place(1, group), Lines());
  EXPECT_EQ(node.WhyNot(group), "");
  EXPECT_EQ(node.Place(1, node.Group(2, 2, Align::kNuma, 1, 1)),
            (Lines{"socket1/numa2/core[8-9]: gpu0 nic2",
                   "socket1/numa3/core[12-13]: gpu2 nic3"}));
  EXPECT_EQ(node.Place(2, node.Group(1, 2, Align::kNuma, 1)),
            (Lines{"socket1/numa2/core[10-11]: gpu1"}));
}

TEST(GangAligned, DomainWhoseCpusAreTakenIsPassedOver) {
  AlignedNode node({0, 0, 1, 1});
  const std::vector<std::vector<std::int64_t>> amounts = {{3}};
  const std::vector<NodeIndex> nodes = {0};
  const std::vector<std::string> parts = {"socket0/numa0/core[0-2]"};
  node.graph.Restore(1, 0, kForever, nodes, amounts, {}, {}, parts);
  EXPECT_EQ(node.Place(2, node.Group(1, 2, Align::kNuma, 2)),
            (Lines{"socket0/numa1/core[4-5]: gpu2 gpu3"}));
  const TaskGroup late = node.Group(1, 2, Align::kNuma, 2);
  EXPECT_EQ(node.Place(3, late), Lines());
  EXPECT_EQ(node.WhyNot(late),
            "where its devices are free, its cpus and memory are not");
  const Explanation why =
      node.graph.Explain(Gang{{late}}, kAlignedPolicy, /*now=*/0);
  ASSERT_EQ(why.groups[0].exclusions.size(), 1U);
  EXPECT_EQ(why.groups[0].exclusions[0].obstacle, Obstacle::kDevices);
}

TEST(GangAligned, SocketHasTheDevicesOfItsNumaDomains) {
  AlignedNode node({1, 2, 3, 3});
  EXPECT_EQ(node.Place(1, node.Group(1, 6, Align::kSocket, 3)),
            (Lines{"socket1/numa2/core[8-11] socket1/numa3/core[12-13]: gpu1 "
                   "gpu2 gpu3"}));
  EXPECT_EQ(node.Place(2, node.Group(1, 6, Align::kSocket, 1)),
            (Lines{"socket0/numa0/core[0-3] socket0/numa1/core[4-5]: gpu0"}));
}

TEST(GangAligned, DeviceThatDoesNotSayItsDomainIsNotTaken) {
  AlignedNode node({-1, -1, 0, -1});
  const TaskGroup two = node.Group(1, 1, Align::kNuma, 2);
  EXPECT_EQ(node.Place(1, two), Lines());
  EXPECT_EQ(node.WhyNot(two),
            "4 devices of class gpu, 1 is in a NUMA domain by an attribute "
            "numaNode; it needs 2");
  EXPECT_FALSE(node.graph.Satisfiable(Gang{{two}}, kAlignedPolicy));
  EXPECT_EQ(node.Place(1, node.Group(1, 1, Align::kNuma, 1)),
            (Lines{"socket0/numa0/core0: gpu2"}));

  AlignedNode silent({-1, -1});
  const auto never =
      silent.graph.ExplainNoDevices(silent.Group(1, 1, Align::kNuma, 1));
  ASSERT_TRUE(never);
  EXPECT_EQ(never->text,
            "none of the devices of class gpu that it selects is in a NUMA "
            "domain by an attribute numaNode");
}

TEST(GangAligned, NoDomainHasEnoughDevices) {
  AlignedNode node({0, 1, 2, 3});
  EXPECT_EQ(node.WhyNot(node.Group(1, 1, Align::kNuma, 2)),
            "4 devices of class gpu, 1 is in NUMA domain 0; it needs 2");
  EXPECT_EQ(node.WhyNot(node.Group(1, 1, Align::kSocket, 3)),
            "4 devices of class gpu, 2 are in NUMA domains 0, 1; it needs 3");
}

TEST(GangAligned, RequestForAllDevicesFitsIfAllAreInTheDomain) {
  AlignedNode one({1, 1});
  EXPECT_EQ(one.Place(1, one.Group(1, 1, Align::kNuma, /*gpus=*/0)),
            (Lines{"socket0/numa1/core4: gpu0 gpu1"}));
  AlignedNode several({0, 1});
  EXPECT_EQ(several.Place(1, several.Group(1, 1, Align::kNuma, 0)), Lines());
}

TEST(GangAligned, PreferredDomainIsLeftIfNoneHasAll) {
  AlignedNode node({1, 1, 2, 3});
  const TaskGroup two =
      node.Group(2, 1, Align::kNuma, 2, 0, /*required=*/false);
  EXPECT_EQ(node.Place(1, two), (Lines{"socket0/numa1/core4: gpu0 gpu1",
                                       "socket0/numa0/core0: gpu2 gpu3"}));
  AlignedNode unknown({1, 1, 2, 3}, /*structure=*/"");
  EXPECT_EQ(unknown.Place(1, unknown.Group(1, 1, Align::kNuma, 1)), Lines());
  EXPECT_EQ(unknown.Place(1, unknown.Group(1, 1, Align::kNuma, 1, 0, false)),
            (Lines{": gpu0"}));
}

TEST(GangAligned, ReservesWhenOneDomainHasAll) {
  AlignedNode node({0, 0, 1});
  Gang gang = {{node.Group(1, 1, Align::kNuma, 2)}};
  gang.duration = 100;
  ASSERT_TRUE(node.graph.TryAllocate(1, gang, kAlignedPolicy, 0));
  const MatchResult result =
      node.graph.AllocateOrReserve(2, gang, kAlignedPolicy, 10);
  ASSERT_TRUE(std::holds_alternative<Placement>(result));
  const Placement& later = std::get<Placement>(result);
  EXPECT_EQ(later.start, 100);
  EXPECT_EQ(later.parts, (Lines{"socket0/numa0/core0"}));
  // One GPU of the domain is reserved, so is its core; numa1 is free.
  gang.groups = {node.Group(1, 4, Align::kNuma, 1)};
  const auto now = node.graph.TryAllocate(3, gang, kAlignedPolicy, 10);
  ASSERT_TRUE(now);
  EXPECT_EQ(now->parts, (Lines{"socket0/numa1/core[4-7]"}));
}

TEST(GangAligned, ClaimThatHasItsDevicesBindsTheTaskToTheirDomain) {
  AlignedNode node({0, 0, 2, 2});
  AllocatedDevice held;
  held.claim = "claim";
  held.request = "gpu";
  held.id = {"gpu.example.com", "node0", "gpu3"};
  node.graph.devices().SetAllocated("ns/shared", {held}, {"node0"});
  EXPECT_EQ(
      node.Place(1, node.Group(2, 1, Align::kNuma, 1, 0, true, "ns/shared")),
      (Lines{"socket1/numa2/core8: gpu3", "socket1/numa2/core9: gpu3"}));
}

TEST(GangAligned, TasksWithoutALabelLeaveAlignedOnesTheirPlace) {
  AlignedNode node({3});
  Gang gang = {{node.Group(1, 4, Align::kNuma, 1)}};
  TaskGroup plain = node.Group(1, 4, Align::kNuma, 1);
  plain.devices = kNoDevices;
  plain.count = 3;
  gang.groups.push_back(plain);
  const auto placed =
      node.graph.TryAllocate(1, gang, kAlignedPolicy, /*now=*/0);
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->parts,
            (Lines{"socket1/numa3/core[12-15]", "socket0/numa0/core[0-3]",
                   "socket0/numa1/core[4-7]", "socket1/numa2/core[8-11]"}));
}

}  // namespace
}  // namespace fluxnetes::matcher
