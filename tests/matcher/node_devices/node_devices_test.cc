// What NodeDevices does on a few nodes.
#include "matcher/node_devices/node_devices.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "device_stage.h"
#include "matcher/devices/device_selector.h"
#include "matcher/devices/devices_text.h"

namespace fluxnetes::matcher {
namespace {

const char* const kIsH100 =
    R"(device.attributes["gpu.example.com"].model == "h100")";

TEST(NodeDevices, TakesSoManyDevicesInOrder) {
  NodeDevices devices = DevicesOn(1, 8);
  const DevicesId three = devices.Take(TaskOf({Want(3)}));
  EXPECT_EQ(devices.Fit(0, three, 100, kNow), 2);
  EXPECT_EQ(devices.Fit(0, three, 1, kNow), 1);
  EXPECT_TRUE(devices.Book(1, 0, 0, three, kNow));
  EXPECT_EQ(NamesOf(devices, 1, 0), "gpu0 gpu1 gpu2");
  EXPECT_TRUE(devices.Book(1, 1, 0, three, kNow));
  EXPECT_EQ(NamesOf(devices, 1, 1), "gpu3 gpu4 gpu5");
  EXPECT_FALSE(devices.Book(1, 2, 0, three, kNow));
  EXPECT_EQ(devices.DevicesOf(1, 2), "");
  EXPECT_EQ(devices.FitEmpty(0, three, 100), 2);
  EXPECT_TRUE(devices.Release(1, 0));
  EXPECT_FALSE(devices.Release(1, 0));
  EXPECT_EQ(devices.Fit(0, three, 100, kNow), 1);
  EXPECT_TRUE(devices.Cancel(1));
  EXPECT_FALSE(devices.Cancel(1));
  EXPECT_EQ(devices.Fit(0, three, 100, kNow), 2);
}

TEST(NodeDevices, NodeWithoutDevicesTakesNoTaskThatNeedsSome) {
  NodeDevices devices = DevicesOn(1, 0);
  EXPECT_EQ(devices.Fit(0, devices.Take(TaskOf({Want(1)})), 9, kNow), 0);
  EXPECT_EQ(devices.Fit(7, devices.Take(TaskOf({Want(1)})), 9, kNow), 0);
  EXPECT_EQ(devices.Fit(0, kNoDevices, 9, kNow), 9);
}

TEST(NodeDevices, EqualRequestsHaveOneNumberUntilAllAreGivenBack) {
  NodeDevices devices = DevicesOn(1, 2);
  const DevicesId one = devices.Take(TaskOf({Want(1)}));
  EXPECT_EQ(devices.Take(TaskOf({Want(1)})), one);
  EXPECT_NE(devices.Take(TaskOf({Want(2)})), one);
  devices.Give(one);
  EXPECT_TRUE(devices.Knows(one));
  EXPECT_EQ(devices.Of(one), TaskOf({Want(1)}));
  devices.Give(one);
  EXPECT_FALSE(devices.Knows(one));
  EXPECT_THROW(devices.Fit(0, one, 1, kNow), std::invalid_argument);
}

TEST(NodeDevices, RefusesAWrongSelector) {
  NodeDevices devices = DevicesOn(1, 2);
  EXPECT_THROW(devices.Take(TaskOf({Want(1, {"device."})})), SelectorError);
  const DevicesId right = devices.Take(TaskOf({Want(1, {kIsH100})}));
  EXPECT_EQ(devices.Fit(0, right, 9, kNow), 2);
}

TEST(NodeDevices, LooksAtTheTimeOfATask) {
  NodeDevices devices = DevicesOn(1, 2);
  const DevicesId one = devices.Take(TaskOf({Want(1)}));
  ASSERT_TRUE(devices.Book(1, 0, 0, one, {10, 20, 10}));
  ASSERT_TRUE(devices.Book(2, 0, 0, one, {15, 30, 10}));
  EXPECT_EQ(devices.Fit(0, one, 9, {10, 15, 10}), 1);
  EXPECT_EQ(devices.Fit(0, one, 9, {10, 16, 10}), 0);
  EXPECT_EQ(devices.Fit(0, one, 9, {19, 25, 10}), 0);
  EXPECT_EQ(devices.Fit(0, one, 9, {20, 25, 10}), 1);
  EXPECT_EQ(devices.Fit(0, one, 9, {30, 31, 10}), 2);
  // Past its end it keeps its device now, and no longer than that.
  EXPECT_EQ(devices.Fit(0, one, 9, {40, 41, 40}), 0);
  EXPECT_EQ(devices.Fit(0, one, 9, {41, 42, 40}), 2);
  const std::vector<JobId> without = {1};
  EXPECT_EQ(devices.Fit(0, one, 9, {10, 16, 10, without}), 1);
}

TEST(NodeDevices, PlansBesideTasksThatAreNotBooked) {
  NodeDevices devices = DevicesOn(2, 8);
  const DevicesId two = devices.Take(TaskOf({Want(2)}));
  const DevicesId three = devices.Take(TaskOf({Want(3)}));
  const std::vector<DevicesBeside> beside = {{0, two, 2}, {1, three, 2}};
  EXPECT_EQ(devices.Fit(0, three, 9, kNow, beside), 1);
  EXPECT_EQ(devices.Fit(1, two, 9, kNow, beside), 1);
  EXPECT_EQ(devices.FitEmpty(0, three, 9, beside), 1);
  const std::vector<DevicesBeside> many = {{0, two, 5}};
  EXPECT_EQ(devices.Fit(0, two, 9, kNow, many), 0);
}

TEST(NodeDevices, DevicesOfTheNetworkAreTakenForAllNodes) {
  NodeDevices devices = DevicesOn(3, 0);
  devices.SetSlice(SliceOf("", Gpus(3)));
  const DevicesId two = devices.Take(TaskOf({Want(2)}));
  const DevicesId one = devices.Take(TaskOf({Want(1)}));
  EXPECT_TRUE(devices.LooksBeyondNode(two));
  EXPECT_EQ(devices.Fit(0, two, 9, kNow), 1);
  const std::vector<DevicesBeside> beside = {{0, two, 1}};
  EXPECT_EQ(devices.Fit(1, one, 9, kNow, beside), 1);
  EXPECT_EQ(devices.Fit(1, two, 9, kNow, beside), 0);
  ASSERT_TRUE(devices.Book(1, 0, 2, two, kNow));
  EXPECT_EQ(devices.Fit(0, two, 9, kNow), 0);
  EXPECT_EQ(devices.Fit(0, one, 9, kNow), 1);
  EXPECT_EQ(devices.FitEmpty(0, two, 9), 1);
  const auto held = ReadDevices(devices.DevicesOf(1, 0));
  ASSERT_EQ(held.size(), 2U);
  ASSERT_TRUE(held[0].nodes);
  EXPECT_TRUE(held[0].nodes->all);
}

TEST(NodeDevices, LooksBeyondNodeOnlyWhereItMatters) {
  NodeDevices devices = DevicesOn(2, 2);
  const DevicesId one = devices.Take(TaskOf({Want(1)}));
  EXPECT_FALSE(devices.LooksBeyondNode(one));
  devices.SetSlice(SliceOf("", Gpus(1)));
  EXPECT_TRUE(devices.LooksBeyondNode(one));
  devices.RemoveSlice("net");
  EXPECT_FALSE(devices.LooksBeyondNode(one));
  DeviceClaim shared = ClaimOf({Want(1)});
  shared.shared = "ns/c";
  EXPECT_TRUE(devices.LooksBeyondNode(devices.Take({{shared}, {}})));
}

TEST(NodeDevices, ClaimsOfTheClusterTakeDevicesUnlessATaskHoldsThem) {
  NodeDevices devices = DevicesOn(1, 3);
  const DevicesId one = devices.Take(TaskOf({Want(1)}));
  ASSERT_TRUE(devices.Book(1, 0, 0, one, {10, 50, 10}));
  const auto allocated = [](const std::string& device) {
    AllocatedDevice each;
    each.id = {kDriver, "node0", device};
    return std::vector<AllocatedDevice>{each};
  };
  devices.SetAllocated("ns/a", allocated("gpu0"), {.node = "node0"});
  devices.SetAllocated("ns/b", allocated("gpu1"), {.node = "node0"});
  EXPECT_EQ(devices.Fit(0, one, 9, kNow), 1);
  // The task ends; what others have does not.
  EXPECT_EQ(devices.Fit(0, one, 9, {50, 60, 10}), 2);
  EXPECT_EQ(devices.FitEmpty(0, one, 9), 2);
  devices.Cancel(1);
  EXPECT_EQ(devices.Fit(0, one, 9, kNow), 1);
  EXPECT_EQ(devices.FitEmpty(0, one, 9), 1);
  devices.SetAllocated("ns/a", {}, {});
  EXPECT_EQ(devices.Fit(0, one, 9, kNow), 2);
  devices.ForgetAllocated("ns/b");
  EXPECT_EQ(devices.Fit(0, one, 9, kNow), 3);
}

TEST(NodeDevices, AReservationDoesNotKeepAClaimOfTheClusterAway) {
  NodeDevices devices = DevicesOn(1, 1);
  const DevicesId one = devices.Take(TaskOf({Want(1)}));
  ASSERT_TRUE(devices.Book(1, 0, 0, one, {50, 60, 10}));
  AllocatedDevice other;
  other.id = {kDriver, "node0", "gpu0"};
  devices.SetAllocated("ns/b", {other}, {.node = "node0"});
  EXPECT_EQ(devices.Fit(0, one, 9, {60, 70, 10}), 0);
  // It has begun, so the claim is its own.
  EXPECT_EQ(devices.Fit(0, one, 9, {60, 70, 50}), 1);
  EXPECT_EQ(devices.Fit(0, one, 9, {60, 70, 49}), 0);
}

TEST(NodeDevices, RestoresWhatIsHeldEvenIfItIsNotKnown) {
  NodeDevices devices = DevicesOn(2, 2);
  const DevicesId one = devices.Take(TaskOf({Want(1)}));
  const std::string text =
      R"([{"claim":"c","request":"r","driver":"gpu.example.com",)"
      R"("pool":"node1","device":"gpu7"}])";
  devices.Restore(1, 0, 1, text, 10, 100);
  EXPECT_EQ(devices.DevicesOf(1, 0), text);
  EXPECT_EQ(devices.Fit(1, one, 9, kNow), 2);
  devices.SetSlice(SliceOf("node1", Gpus(8)));
  EXPECT_EQ(devices.Fit(1, one, 9, kNow), 7);
  EXPECT_FALSE(devices.IsFree(1, text, kNow));
  EXPECT_FALSE(devices.IsFree(0, text, kNow));
  EXPECT_TRUE(devices.IsFree(1, text, {100, 110, 10}));
  EXPECT_THROW(devices.Restore(1, 0, 1, text, 10, 100), std::invalid_argument);
  EXPECT_THROW(devices.Restore(2, 0, 1, "[", 10, 100), DevicesError);
  ASSERT_EQ(devices.DescribeOn(1).size(), 1U);
  EXPECT_EQ(devices.DescribeOn(1)[0], "1 [10,100) " + text);
  devices.Cancel(1);
  EXPECT_TRUE(devices.IsFree(1, text, kNow));
  EXPECT_TRUE(devices.DescribeOn(1).empty());
}

TEST(NodeDevices, AlignsTheDevicesOfAllClaims) {
  NodeDevices devices = DevicesOn(1, 8);
  DeviceClaim first = ClaimOf({Want(2)});
  DeviceClaim second = ClaimOf({Want(2)});
  second.name = "d";
  const DevicesId one = devices.Take(TaskOf({Want(1)}));
  ASSERT_TRUE(devices.Book(1, 0, 0, one, kNow));
  const DevicesId aligned =
      devices.Take({{first, second}, {"gpu.example.com/numa"}});
  const DevicesId loose = devices.Take({{first, second}, {}});
  EXPECT_EQ(devices.Fit(0, aligned, 9, kNow), 1);
  ASSERT_TRUE(devices.Book(2, 0, 0, aligned, kNow));
  EXPECT_EQ(NamesOf(devices, 2, 0), "gpu4 gpu5 gpu6 gpu7");
  devices.Cancel(2);
  ASSERT_TRUE(devices.Book(2, 0, 0, loose, kNow));
  EXPECT_EQ(NamesOf(devices, 2, 0), "gpu1 gpu2 gpu3 gpu4");
}

TEST(NodeDevices, DevicesWithoutTheAttributeAreAlignedWithAll) {
  NodeDevices devices = DevicesOn(1, 0);
  std::vector<Device> mixed = Gpus(8);
  mixed[0].attributes.erase("gpu.example.com/numa");
  mixed[1].attributes.erase("gpu.example.com/numa");
  devices.SetSlice(SliceOf("node0", mixed));
  const DevicesId five =
      devices.Take({{ClaimOf({Want(5)})}, {"gpu.example.com/numa"}});
  ASSERT_TRUE(devices.Book(1, 0, 0, five, kNow));
  EXPECT_EQ(NamesOf(devices, 1, 0), "gpu0 gpu1 gpu4 gpu5 gpu6");
}

DeviceClaim SharedClaim(int count) {
  DeviceClaim claim = ClaimOf({Want(count)});
  claim.shared = "ns/training";
  return claim;
}

TEST(NodeDevices, TasksShareTheDevicesOfTheirClaim) {
  NodeDevices devices = DevicesOn(2, 2);
  const DevicesId shared = devices.Take({{SharedClaim(2)}, {}});
  EXPECT_EQ(devices.Fit(0, shared, 9, kNow), 9);
  const std::vector<DevicesBeside> beside = {{0, shared, 1}};
  EXPECT_EQ(devices.Fit(0, shared, 9, kNow, beside), 9);
  EXPECT_EQ(devices.Fit(1, shared, 9, kNow, beside), 0);
  ASSERT_TRUE(devices.Book(1, 0, 1, shared, kNow));
  ASSERT_TRUE(devices.Book(1, 1, 1, shared, kNow));
  EXPECT_EQ(NamesOf(devices, 1, 1), "gpu0 gpu1");
  EXPECT_FALSE(devices.Book(1, 2, 0, shared, kNow));
  const DevicesId one = devices.Take(TaskOf({Want(1)}));
  devices.Release(1, 0);
  EXPECT_EQ(devices.Fit(1, one, 9, kNow), 0);
  devices.Release(1, 1);
  EXPECT_EQ(devices.Fit(1, one, 9, kNow), 2);
}

TEST(NodeDevices, AnOwnClaimBesideASharedOneTakesMoreForEachTask) {
  NodeDevices devices = DevicesOn(1, 4);
  DeviceClaim own = ClaimOf({Want(1)});
  own.name = "own";
  const DevicesId both = devices.Take({{SharedClaim(1), own}, {}});
  EXPECT_EQ(devices.Fit(0, both, 9, kNow), 3);
  ASSERT_TRUE(devices.Book(1, 0, 0, both, kNow));
  ASSERT_TRUE(devices.Book(1, 1, 0, both, kNow));
  EXPECT_EQ(NamesOf(devices, 1, 1), "gpu0 gpu2");
}

TEST(NodeDevices, AnAllocatedClaimPinsItsTasks) {
  NodeDevices devices = DevicesOn(2, 2);
  const DevicesId shared = devices.Take({{SharedClaim(1)}, {}});
  AllocatedDevice has;
  has.claim = "training";
  has.request = "r";
  has.id = {kDriver, "node1", "gpu1"};
  devices.SetAllocated("ns/training", {has}, {.node = "node1"});
  EXPECT_EQ(devices.Fit(0, shared, 9, kNow), 0);
  EXPECT_EQ(devices.Fit(1, shared, 9, kNow), 9);
  ASSERT_TRUE(devices.Book(1, 0, 1, shared, kNow));
  EXPECT_EQ(NamesOf(devices, 1, 0), "gpu1");
  EXPECT_EQ(ReadDevices(devices.DevicesOf(1, 0))[0].claim, "c");
  const DevicesId one = devices.Take(TaskOf({Want(1)}));
  EXPECT_EQ(devices.Fit(1, one, 9, kNow), 1);
}

TEST(NodeDevices, WhatATaskSharesMustStayFreeForAllOfItsTime) {
  NodeDevices devices = DevicesOn(1, 1);
  const DevicesId shared = devices.Take({{SharedClaim(1)}, {}});
  const DevicesId one = devices.Take(TaskOf({Want(1)}));
  ASSERT_TRUE(devices.Book(1, 0, 0, shared, {10, 50, 10}));
  ASSERT_TRUE(devices.Book(2, 0, 0, one, {50, 60, 10}));
  EXPECT_EQ(devices.Fit(0, shared, 9, {10, 50, 10}), 9);
  EXPECT_EQ(devices.Fit(0, shared, 9, {10, 51, 10}), 0);
}

TEST(NodeDevices, AnotherClassMeansAnotherAnswer) {
  NodeDevices devices = DevicesOn(1, 2);
  const DevicesId one = devices.Take(TaskOf({Want(1)}));
  EXPECT_EQ(devices.Fit(0, one, 9, kNow), 2);
  DeviceClass other;
  other.name = "gpu";
  other.selectors = {R"(device.attributes["gpu.example.com"].index == 1)"};
  devices.SetClass(other);
  EXPECT_EQ(devices.Fit(0, one, 9, kNow), 1);
  other.selectors = {"device."};
  devices.SetClass(other);
  EXPECT_EQ(devices.Fit(0, one, 9, kNow), 0);
  devices.RemoveClass("gpu");
  EXPECT_EQ(devices.Fit(0, one, 9, kNow), 0);
}

TEST(NodeDevices, NodesMayChangeTheirLabelsAndGo) {
  NodeDevices devices = DevicesOn(2, 0);
  DeviceSlice slice = SliceOf("", Gpus(1));
  slice.nodes.all = false;
  LabelRequirement in_rack;
  in_rack.key = "rack";
  in_rack.values = {"r1"};
  slice.nodes.terms = {{in_rack}};
  devices.SetSlice(slice);
  const DevicesId one = devices.Take(TaskOf({Want(1)}));
  EXPECT_EQ(devices.Fit(0, one, 9, kNow), 0);
  devices.SetNode(0, "node0", {{"rack", "r1"}});
  EXPECT_EQ(devices.Fit(0, one, 9, kNow), 1);
  EXPECT_EQ(devices.Fit(1, one, 9, kNow), 0);
  ASSERT_TRUE(devices.Book(1, 0, 0, one, kNow));
  const auto held = ReadDevices(devices.DevicesOf(1, 0));
  ASSERT_TRUE(held[0].nodes);
  EXPECT_EQ(held[0].nodes->terms, slice.nodes.terms);
  devices.RemoveNode(0);
  devices.Cancel(1);
  EXPECT_EQ(devices.Fit(0, one, 9, kNow), 0);
}

}  // namespace
}  // namespace fluxnetes::matcher
