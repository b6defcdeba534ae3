// The rules of Kubernetes' allocator of structured parameters, each in a small
// case.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "device_stage.h"
#include "matcher/devices/devices_text.h"
#include "matcher/node_devices/node_devices.h"

namespace fluxnetes::matcher {
namespace {

constexpr Int128 kBillion = 1'000'000'000;

// The devices of the one node.
NodeDevices NodeWith(std::vector<Device> some) {
  NodeDevices devices = DevicesOn(1, 0);
  devices.SetSlice(SliceOf("node0", std::move(some)));
  return devices;
}

// The names of what a task gets on the node; "none": it does not fit.
std::string GetsOn(NodeDevices& devices, const TaskDevices& task) {
  static int number = 0;
  if (!devices.Book(9, ++number, 0, devices.Take(task), kNow)) return "none";
  std::string names = NamesOf(devices, 9, number);
  devices.Release(9, number);
  return names;
}

DeviceRequest All() {
  DeviceRequest request = Want(0);
  request.choices[0].all = true;
  return request;
}

std::string Index(int index) {
  return R"(device.attributes["gpu.example.com"].index == )" +
         std::to_string(index);
}

TEST(DeviceRules, AllTakesAllThatMatchOrNone) {
  NodeDevices devices = NodeWith(Gpus(3));
  EXPECT_EQ(GetsOn(devices, TaskOf({All()})), "gpu0 gpu1 gpu2");
  DeviceRequest one = All();
  one.choices[0].selectors = {Index(1)};
  EXPECT_EQ(GetsOn(devices, TaskOf({one})), "gpu1");
  one.choices[0].selectors = {Index(7)};
  EXPECT_EQ(GetsOn(devices, TaskOf({one})), "none");
  devices.Book(1, 0, 0, devices.Take(TaskOf({Want(1)})), kNow);
  EXPECT_EQ(GetsOn(devices, TaskOf({All()})), "none");
  EXPECT_EQ(GetsOn(devices, TaskOf({Want(2)})), "gpu1 gpu2");
}

TEST(DeviceRules, ASelectorThatCannotBeEvaluatedEndsTheSearchThere) {
  std::vector<Device> some = Gpus(3);
  some[1].attributes.erase("gpu.example.com/index");
  NodeDevices devices = NodeWith(some);
  EXPECT_EQ(GetsOn(devices, TaskOf({Want(1, {Index(0)})})), "gpu0");
  EXPECT_EQ(GetsOn(devices, TaskOf({Want(1, {Index(2)})})), "none");
  DeviceRequest all = All();
  all.choices[0].selectors = {Index(0)};
  EXPECT_EQ(GetsOn(devices, TaskOf({all})), "none");
}

TEST(DeviceRules, TheFirstAlternativeThatFitsCounts) {
  NodeDevices devices = NodeWith(Gpus(4));
  DeviceRequest request = Want(5);
  request.choices[0].name = "large";
  DeviceChoice small = Want(2).choices[0];
  small.name = "small";
  request.choices.push_back(small);
  ASSERT_TRUE(devices.Book(1, 0, 0, devices.Take(TaskOf({request})), kNow));
  const auto held = ReadDevices(devices.DevicesOf(1, 0));
  ASSERT_EQ(held.size(), 2U);
  EXPECT_EQ(held[0].request, "r/small");
  devices.Cancel(1);
  // A later request may need what an earlier alternative would take.
  request.choices[0].count = 3;
  EXPECT_EQ(GetsOn(devices, TaskOf({request, Named("s", Want(2))})),
            "gpu0 gpu1 gpu2 gpu3");
}

TEST(DeviceRules, SearchGoesBackToAnEarlierRequest) {
  NodeDevices devices = NodeWith(Gpus(2));
  EXPECT_EQ(GetsOn(devices, TaskOf({Want(1), Named("s", Want(1, {Index(0)}))})),
            "gpu1 gpu0");
}

TEST(DeviceRules, AClaimHasAtMost32Devices) {
  NodeDevices devices = NodeWith(Gpus(40));
  EXPECT_NE(GetsOn(devices, TaskOf({Want(32)})), "none");
  EXPECT_EQ(GetsOn(devices, TaskOf({Want(33)})), "none");
  EXPECT_EQ(GetsOn(devices, TaskOf({All()})), "none");
  EXPECT_EQ(GetsOn(devices, TaskOf({Want(20), Named("s", Want(13))})), "none");
  DeviceRequest either = Want(20);
  either.choices[0].name = "many";
  either.choices.push_back(Want(10).choices[0]);
  either.choices[1].name = "few";
  EXPECT_NE(GetsOn(devices, TaskOf({either, Named("s", Want(20))})), "none");
}

DeviceClaim Constrained(std::vector<DeviceRequest> requests,
                        DeviceConstraint constraint) {
  DeviceClaim claim = ClaimOf(std::move(requests));
  claim.constraints = {std::move(constraint)};
  return claim;
}

TEST(DeviceRules, MatchingDevicesHaveOneValue) {
  NodeDevices devices = NodeWith(Gpus(8));
  DeviceConstraint same;
  same.match = "gpu.example.com/numa";
  const auto gets = [&](std::vector<DeviceRequest> requests) {
    return GetsOn(devices, {{Constrained(std::move(requests), same)}, {}});
  };
  EXPECT_EQ(gets({Want(4)}), "gpu0 gpu1 gpu2 gpu3");
  EXPECT_EQ(gets({Want(5)}), "none");
  EXPECT_EQ(gets({Want(1), Named("s", Want(2, {}))}), "gpu0 gpu1 gpu2");
  EXPECT_EQ(gets({Want(1), Named("s", Want(1, {Index(6)}))}), "gpu4 gpu6");
  same.requests = {"s"};
  EXPECT_EQ(gets({Want(1), Named("s", Want(1, {Index(6)}))}), "gpu0 gpu6");
  same.match = "gpu.example.com/no";
  EXPECT_EQ(gets({Want(1), Named("s", Want(1))}), "none");
  same.requests = {"t"};
  EXPECT_EQ(gets({Want(1), Named("s", Want(1))}), "gpu0 gpu1");
}

TEST(DeviceRules, AConstraintMayNameOneAlternative) {
  NodeDevices devices = NodeWith(Gpus(8));
  DeviceConstraint same;
  same.match = "gpu.example.com/numa";
  same.requests = {"r/many"};
  DeviceRequest request = Want(5);
  request.choices[0].name = "many";
  request.choices.push_back(Want(6).choices[0]);
  request.choices[1].name = "more";
  EXPECT_EQ(GetsOn(devices, {{Constrained({request}, same)}, {}}),
            "gpu0 gpu1 gpu2 gpu3 gpu4 gpu5");
  same.requests = {"r"};
  EXPECT_EQ(GetsOn(devices, {{Constrained({request}, same)}, {}}), "none");
}

TEST(DeviceRules, ValuesOfOtherTypesDoNotMatch) {
  std::vector<Device> some = Gpus(2);
  some[0].attributes["gpu.example.com/numa"] = std::string("0");
  some[1].attributes["gpu.example.com/numa"] = DeviceVersion{"0"};
  NodeDevices devices = NodeWith(some);
  DeviceConstraint same;
  same.match = "gpu.example.com/numa";
  EXPECT_EQ(GetsOn(devices, {{Constrained({Want(2)}, same)}, {}}), "none");
  DeviceConstraint other;
  other.distinct = "gpu.example.com/numa";
  EXPECT_EQ(GetsOn(devices, {{Constrained({Want(2)}, other)}, {}}),
            "gpu0 gpu1");
}

TEST(DeviceRules, DistinctDevicesAllDiffer) {
  NodeDevices devices = NodeWith(Gpus(12));
  DeviceConstraint differ;
  differ.distinct = "gpu.example.com/numa";
  EXPECT_EQ(GetsOn(devices, {{Constrained({Want(3)}, differ)}, {}}),
            "gpu0 gpu4 gpu8");
  EXPECT_EQ(GetsOn(devices, {{Constrained({Want(4)}, differ)}, {}}), "none");
  differ.distinct = "gpu.example.com/no";
  EXPECT_EQ(GetsOn(devices, {{Constrained({Want(1)}, differ)}, {}}), "none");
}

TEST(DeviceRules, TaintsNeedATolerationOfTheRequest) {
  using Effect = DeviceTaint::Effect;
  std::vector<Device> some = Gpus(3);
  some[0].taints = {{"broken", "fan", Effect::kNoSchedule}};
  some[1].taints = {{"broken", "", Effect::kNoExecute}};
  some[2].taints = {{"noted", "", Effect::kNone}};
  NodeDevices devices = NodeWith(some);
  const auto gets = [&](const DeviceToleration& toleration) {
    DeviceRequest request = Want(1);
    request.choices[0].tolerations = {toleration};
    request.choices[0].selectors = {};
    return GetsOn(devices, TaskOf({request}));
  };
  EXPECT_EQ(GetsOn(devices, TaskOf({Want(1)})), "gpu2");
  DeviceToleration toleration;
  toleration.key = "broken";
  toleration.value = "fan";
  EXPECT_EQ(gets(toleration), "gpu0");
  toleration.value = "";
  EXPECT_EQ(gets(toleration), "gpu1");
  toleration.effect = Effect::kNoSchedule;
  EXPECT_EQ(gets(toleration), "gpu2");
  toleration.exists = true;
  EXPECT_EQ(gets(toleration), "gpu0");
  DeviceToleration everything;
  everything.exists = true;
  EXPECT_EQ(gets(everything), "gpu0");
  DeviceRequest all = All();
  EXPECT_EQ(GetsOn(devices, TaskOf({all})), "none");
  all.choices[0].tolerations = {everything};
  EXPECT_EQ(GetsOn(devices, TaskOf({all})), "gpu0 gpu1 gpu2");
}

TEST(DeviceRules, AdminAccessTakesNothing) {
  NodeDevices devices = NodeWith(Gpus(2));
  DeviceRequest admin = Want(2);
  admin.choices[0].admin_access = true;
  devices.Book(1, 0, 0, devices.Take(TaskOf({Want(2)})), kNow);
  ASSERT_TRUE(devices.Book(2, 0, 0, devices.Take(TaskOf({admin})), kNow));
  EXPECT_TRUE(ReadDevices(devices.DevicesOf(2, 0))[0].admin_access);
  EXPECT_EQ(GetsOn(devices, TaskOf({admin})), "gpu0 gpu1");
  devices.Cancel(1);
  EXPECT_EQ(GetsOn(devices, TaskOf({Want(2)})), "gpu0 gpu1");
  // But no device comes twice in a claim.
  EXPECT_EQ(GetsOn(devices, TaskOf({admin, Named("s", Want(1))})), "none");
}

// Three parts of a GPU that have together more memory than it has.
std::vector<Device> Partitions() {
  std::vector<Device> parts = Gpus(3);
  const int sizes[] = {2, 2, 3};
  for (int i = 0; i < 3; ++i) {
    parts[i].uses = {{"gpu", {{"memory", {sizes[i] * kBillion}}}}};
  }
  return parts;
}

NodeDevices Partitioned(std::vector<Device> parts) {
  NodeDevices devices = DevicesOn(1, 0);
  DeviceSlice slice = SliceOf("node0", std::move(parts));
  slice.slices = 2;
  devices.SetSlice(slice);
  DeviceSlice counters = SliceOf("node0", {});
  counters.name = "node0-counters";
  counters.slices = 2;
  counters.counters = {{"gpu", {{"memory", {4 * kBillion}}}}};
  devices.SetSlice(counters);
  return devices;
}

TEST(DeviceRules, PartitionsTakeOfTheCountersOfTheirPool) {
  NodeDevices devices = Partitioned(Partitions());
  EXPECT_EQ(GetsOn(devices, TaskOf({Want(2)})), "gpu0 gpu1");
  EXPECT_EQ(GetsOn(devices, TaskOf({Want(3)})), "none");
  EXPECT_EQ(GetsOn(devices, TaskOf({Want(1, {Index(2)})})), "gpu2");
  const DevicesId one = devices.Take(TaskOf({Want(1)}));
  EXPECT_EQ(devices.Fit(0, one, 9, kNow), 2);
  devices.Book(1, 0, 0, one, kNow);
  EXPECT_EQ(GetsOn(devices, TaskOf({Want(1, {Index(2)})})), "none");
  EXPECT_EQ(GetsOn(devices, TaskOf({Want(1)})), "gpu1");
}

TEST(DeviceRules, CountersAreTakenByDevicesThatTheNodeCannotUse) {
  NodeDevices devices = Partitioned({Partitions()[0]});
  devices.SetNode(1, "node1", {});
  DeviceSlice other = SliceOf("node1", {Partitions()[2]});
  other.pool = "node0";
  for (DeviceSlice slice :
       {other, SliceOf("node0", {Partitions()[0]}), SliceOf("node0", {})}) {
    slice.slices = 3;
    if (slice.devices.empty()) {
      slice.name = "node0-counters";
      slice.counters = {{"gpu", {{"memory", {4 * kBillion}}}}};
    }
    devices.SetSlice(slice);
  }
  const DevicesId one = devices.Take(TaskOf({Want(1)}));
  EXPECT_TRUE(devices.LooksBeyondNode(one));
  EXPECT_EQ(devices.Fit(0, one, 9, kNow), 1);
  const std::vector<DevicesBeside> beside = {{1, one, 1}};
  EXPECT_EQ(devices.Fit(0, one, 9, kNow, beside), 0);
  ASSERT_TRUE(devices.Book(1, 0, 1, one, kNow));
  EXPECT_EQ(devices.Fit(0, one, 9, kNow), 0);
}

// A NIC of which claims share the bandwidth.
Device SharedNic() {
  Device nic;
  nic.name = "nic";
  nic.shared = true;
  nic.capacity["gpu.example.com/bandwidth"] = {10 * kBillion};
  nic.policies["gpu.example.com/bandwidth"].fallback =
      DeviceAmount{2 * kBillion};
  return nic;
}

DeviceRequest Bandwidth(int amount) {
  DeviceRequest request = Want(1);
  request.choices[0].amounts["bandwidth"] = {amount * kBillion};
  return request;
}

TEST(DeviceRules, ClaimsShareADeviceByAmounts) {
  NodeDevices devices = NodeWith({SharedNic()});
  EXPECT_EQ(devices.Fit(0, devices.Take(TaskOf({Want(1)})), 9, kNow), 5);
  const DevicesId three = devices.Take(TaskOf({Bandwidth(3)}));
  EXPECT_EQ(devices.Fit(0, three, 9, kNow), 3);
  ASSERT_TRUE(devices.Book(1, 0, 0, three, kNow));
  ASSERT_TRUE(devices.Book(1, 1, 0, three, kNow));
  const auto first = ReadDevices(devices.DevicesOf(1, 0))[0];
  const auto second = ReadDevices(devices.DevicesOf(1, 1))[0];
  EXPECT_EQ(ToText(first.consumed.at("bandwidth")), "3");
  EXPECT_EQ(first.share.size(), 36U);
  EXPECT_NE(first.share, second.share);
  EXPECT_EQ(GetsOn(devices, TaskOf({Bandwidth(4)})), "nic");
  EXPECT_EQ(GetsOn(devices, TaskOf({Bandwidth(5)})), "none");
  const std::string text = devices.DevicesOf(1, 1);
  devices.Release(1, 1);
  EXPECT_TRUE(devices.IsFree(0, text, kNow));
  ASSERT_TRUE(
      devices.Book(1, 2, 0, devices.Take(TaskOf({Bandwidth(5)})), kNow));
  EXPECT_FALSE(devices.IsFree(0, text, kNow));
}

TEST(DeviceRules, TwoRequestsOfAClaimMayShareADevice) {
  NodeDevices devices = NodeWith({SharedNic()});
  EXPECT_EQ(GetsOn(devices, TaskOf({Bandwidth(6), Named("s", Bandwidth(4))})),
            "nic nic");
  EXPECT_EQ(GetsOn(devices, TaskOf({Bandwidth(6), Named("s", Bandwidth(5))})),
            "none");
}

TEST(DeviceRules, DevicesThatWaitForConditionsComeLast) {
  NodeDevices devices = DevicesOn(1, 0);
  std::vector<Device> some = Gpus(1);
  some[0].binding_conditions = {"attached"};
  some[0].binding_failures = {"failed"};
  DeviceSlice first = SliceOf("node0", some);
  first.pool = "a";
  devices.SetSlice(first);
  std::vector<Device> others = Gpus(1);
  others[0].name = "later";
  DeviceSlice second = SliceOf("node0", others);
  second.name = "second";
  second.pool = "b";
  devices.SetSlice(second);
  EXPECT_EQ(GetsOn(devices, TaskOf({Want(1)})), "later");
  ASSERT_TRUE(devices.Book(1, 0, 0, devices.Take(TaskOf({Want(2)})), kNow));
  const auto held = ReadDevices(devices.DevicesOf(1, 0));
  EXPECT_EQ(held[1].binding_conditions, std::vector<std::string>{"attached"});
  EXPECT_EQ(held[1].binding_failures, std::vector<std::string>{"failed"});
}

TEST(DeviceRules, SearchThatTakesTooLongIsGivenUp) {
  std::vector<Device> some;
  for (int i = 0; i < 60; ++i) {
    Device device;
    device.name = "d" + std::to_string(i);
    device.attributes["gpu.example.com/value"] = std::int64_t{i / 2};
    some.push_back(device);
  }
  NodeDevices devices = NodeWith(some);
  DeviceConstraint differ;
  differ.distinct = "gpu.example.com/value";
  const TaskDevices task = {{Constrained({Want(31)}, differ)}, {}};
  EXPECT_EQ(GetsOn(devices, task), "none");
  EXPECT_EQ(devices.Explain(0, devices.Take(task), kNow).text,
            "the search for its devices takes too many steps");
}

}  // namespace
}  // namespace fluxnetes::matcher
