// Gangs whose tasks take devices.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "matcher/devices/devices_text.h"
#include "matcher/gangs/explanation.h"
#include "matcher/gangs/node_graph.h"
#include "matcher/node_devices/node_devices.h"

namespace fluxnetes::matcher {
namespace {

constexpr Policy kDevicesPolicy = Policy::kLonode;

// Nodes with 8 cpus and two GPUs each, and licences that every node can use.
class DeviceCluster {
 public:
  explicit DeviceCluster(int nodes, int licences = 0) {
    NodeDevices& devices = graph.devices();
    for (const char* const kind : {"gpu", "licence"}) {
      DeviceClass each;
      each.name = kind;
      each.selectors = {std::string("device.driver == \"") + kind +
                        ".example.com\""};
      devices.SetClass(each);
    }
    for (int i = 0; i < nodes; ++i) {
      const std::string name = "node" + std::to_string(i);
      graph.AddNode(name, i, std::vector<std::int64_t>{8});
      DeviceSlice slice = SliceOf("gpu.example.com", name, 2);
      slice.nodes.node = name;
      devices.SetSlice(slice);
    }
    if (licences == 0) return;
    DeviceSlice slice = SliceOf("licence.example.com", "all", licences);
    slice.nodes.all = true;
    devices.SetSlice(slice);
  }

  TaskGroup Group(int count, const std::string& kind, int devices) {
    DeviceChoice choice;
    choice.device_class = kind;
    choice.count = devices;
    DeviceRequest request;
    request.name = kind;
    request.choices = {choice};
    DeviceClaim claim;
    claim.name = "claim";
    claim.requests = {request};
    TaskGroup group;
    group.amounts = {1};
    group.count = count;
    group.devices = graph.devices().Take({{claim}});
    return group;
  }

  std::optional<Placement> Place(JobId job, const Gang& gang, Time now = 0) {
    return graph.TryAllocate(job, gang, kDevicesPolicy, now);
  }

  NodeGraph graph{{"cpu"}};

 private:
  static DeviceSlice SliceOf(const std::string& driver, const std::string& pool,
                             int devices) {
    DeviceSlice slice;
    slice.name = pool + "-" + driver;
    slice.driver = driver;
    slice.pool = pool;
    slice.generation = 1;
    for (int i = 0; i < devices; ++i) {
      Device device;
      device.name = "d" + std::to_string(i);
      slice.devices.push_back(device);
    }
    return slice;
  }
};

std::vector<std::string> NamesIn(const std::string& text) {
  std::vector<std::string> names;
  for (const AllocatedDevice& each : ReadDevices(text))
    names.push_back(each.id.pool + "/" + each.id.device);
  return names;
}

TEST(GangDevices, TasksGoWhereTheirDevicesAre) {
  DeviceCluster cluster(3);
  ASSERT_TRUE(cluster.Place(1, {{cluster.Group(1, "gpu", 1)}}));
  const Gang gang = {{cluster.Group(2, "gpu", 2)}};
  const auto placed = cluster.Place(2, gang);
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->nodes, (std::vector<NodeIndex>{1, 2}));
  EXPECT_EQ(NamesIn(placed->devices[0]),
            (std::vector<std::string>{"node1/d0", "node1/d1"}));
  EXPECT_EQ(NamesIn(placed->devices[1]),
            (std::vector<std::string>{"node2/d0", "node2/d1"}));
  EXPECT_FALSE(cluster.Place(3, {{cluster.Group(1, "gpu", 2)}}));
  EXPECT_TRUE(cluster.graph.Release(2, 0));
  EXPECT_TRUE(cluster.Place(3, {{cluster.Group(1, "gpu", 2)}}));
}

TEST(GangDevices, SeveralTasksShareANodeButNoDevice) {
  DeviceCluster cluster(1);
  const auto placed = cluster.Place(1, {{cluster.Group(2, "gpu", 1)}});
  ASSERT_TRUE(placed);
  EXPECT_EQ(NamesIn(placed->devices[0]),
            (std::vector<std::string>{"node0/d0"}));
  EXPECT_EQ(NamesIn(placed->devices[1]),
            (std::vector<std::string>{"node0/d1"}));
}

TEST(GangDevices, DevicesOfAllNodesAreCountedOverTheGang) {
  DeviceCluster cluster(3, /*licences=*/2);
  EXPECT_FALSE(cluster.Place(1, {{cluster.Group(3, "licence", 1)}}));
  EXPECT_FALSE(cluster.graph.Satisfiable({{cluster.Group(3, "licence", 1)}}));
  Gang apart = {{cluster.Group(2, "licence", 1)}};
  apart.per_node = {1, false};
  const auto placed = cluster.Place(1, apart);
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->nodes, (std::vector<NodeIndex>{0, 1}));
  EXPECT_NE(placed->devices[0], placed->devices[1]);
}

TEST(GangDevices, ReservesWhenTheDevicesAreFree) {
  DeviceCluster cluster(1);
  Gang first = {{cluster.Group(1, "gpu", 2)}};
  first.duration = 100;
  ASSERT_TRUE(cluster.Place(1, first));
  Gang second = {{cluster.Group(1, "gpu", 1)}};
  second.duration = 50;
  const MatchResult result =
      cluster.graph.AllocateOrReserve(2, second, kDevicesPolicy, 0);
  ASSERT_TRUE(std::holds_alternative<Placement>(result));
  const Placement& reserved = std::get<Placement>(result);
  EXPECT_EQ(reserved.start, 100);
  EXPECT_EQ(NamesIn(reserved.devices[0]),
            (std::vector<std::string>{"node0/d0"}));
  const std::vector<std::vector<std::int64_t>> amounts = {{1}};
  const auto has_room = [&](Time start) {
    return cluster.graph.HasRoom(start, start + 50, reserved.nodes, amounts, 0,
                                 {}, {}, {}, reserved.devices);
  };
  EXPECT_FALSE(has_room(60));   // the first holds it
  EXPECT_FALSE(has_room(100));  // the second has it reserved
  EXPECT_TRUE(has_room(150));
}

TEST(GangDevices, IsNeverFitIfNoNodeHasSoMany) {
  DeviceCluster cluster(2);
  const Gang gang = {{cluster.Group(1, "gpu", 3)}};
  const MatchResult result = cluster.graph.Allocate(1, gang, kDevicesPolicy, 0);
  EXPECT_EQ(std::get<NoFit>(result), NoFit::kNever);
  const Explanation why = cluster.graph.Explain(gang, kDevicesPolicy, 0);
  ASSERT_EQ(why.groups[0].exclusions.size(), 1U);
  EXPECT_EQ(why.groups[0].exclusions[0].obstacle, Obstacle::kDevices);
  EXPECT_EQ(why.groups[0].exclusions[0].alone, 2);
}

TEST(GangDevices, GraphThatIsBuiltAgainIsTheSame) {
  DeviceCluster one(2), other(2);
  const Gang gang = {{one.Group(3, "gpu", 1)}};
  const auto placed = one.Place(7, gang);
  ASSERT_TRUE(placed);
  const std::vector<std::vector<std::int64_t>> amounts(3, {1});
  other.graph.Restore(7, 0, kForever, placed->nodes, amounts, {}, {}, {}, {},
                      {}, placed->devices);
  EXPECT_EQ(other.graph.Describe(), one.graph.Describe());
  EXPECT_NE(one.graph.Describe().find("device "), std::string::npos);
  EXPECT_TRUE(other.graph.Cancel(7));
  EXPECT_EQ(other.graph.Describe().find("device "), std::string::npos);
}

TEST(GangDevices, WhatAClaimHasIsTakenUntilItIsGivenBack) {
  DeviceCluster cluster(1);
  AllocatedDevice held;
  held.claim = "claim";
  held.request = "gpu";
  held.id = {"gpu.example.com", "node0", "d0"};
  cluster.graph.devices().SetAllocated("science/other", {held}, {"node0"});
  EXPECT_FALSE(cluster.Place(1, {{cluster.Group(1, "gpu", 2)}}));
  cluster.graph.devices().ForgetAllocated("science/other");
  EXPECT_TRUE(cluster.Place(1, {{cluster.Group(1, "gpu", 2)}}));
}

}  // namespace
}  // namespace fluxnetes::matcher
