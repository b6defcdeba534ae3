// Why a task does not get its devices, in words.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "device_stage.h"
#include "matcher/node_devices/node_devices.h"

namespace fluxnetes::matcher {
namespace {

constexpr Int128 kUnit = 1'000'000'000;  // one, in billionths

std::string TextOf(const DeviceObstacle& obstacle) {
  std::string text = obstacle.claim;
  if (!obstacle.request.empty()) text += "/" + obstacle.request;
  return text + ": " + obstacle.text;
}

std::string WhyNot(NodeDevices& devices, const TaskDevices& task) {
  const DevicesId id = devices.Take(task);
  EXPECT_EQ(devices.Fit(0, id, 1, kNow), 0);
  return TextOf(devices.Explain(0, id, kNow));
}

std::string WhyNever(NodeDevices& devices, const TaskDevices& task) {
  const auto obstacle = devices.ExplainNever(devices.Take(task));
  return obstacle ? TextOf(*obstacle) : "not never";
}

std::string OfDomain(int numa) {
  return R"(device.attributes["gpu.example.com"].numa == )" +
         std::to_string(numa);
}

TEST(NodeDevicesExplain, CountsTheDevicesThatPassEachCondition) {
  NodeDevices devices = DevicesOn(1, 8);
  const DevicesId three = devices.Take(TaskOf({Want(3)}));
  devices.Book(1, 0, 0, three, kNow);
  devices.Book(1, 1, 0, three, kNow);
  EXPECT_EQ(WhyNot(devices, TaskOf({Want(3)})),
            "c/r: 8 devices of class gpu, 2 are free; it needs 3");
  EXPECT_EQ(WhyNot(devices, TaskOf({Want(1, {OfDomain(0)})})),
            "c/r: 8 devices of class gpu, 4 match its selectors, none is free");
  EXPECT_EQ(WhyNot(devices, TaskOf({Want(1, {OfDomain(7)})})),
            "c/r: 8 devices of class gpu, none matches its selectors");
}

TEST(NodeDevicesExplain, NamesAClassThatDoesNotExist) {
  NodeDevices devices = DevicesOn(1, 1);
  DeviceRequest request = Want(1);
  request.choices[0].device_class = "tpu";
  EXPECT_EQ(WhyNot(devices, TaskOf({request})),
            "c/r: class tpu does not exist");
  EXPECT_EQ(WhyNever(devices, TaskOf({request})),
            "c/r: class tpu does not exist");
  DeviceClass broken;
  broken.name = "tpu";
  broken.selectors = {"device."};
  devices.SetClass(broken);
  EXPECT_EQ(WhyNot(devices, TaskOf({request}))
                .find("c/r: class tpu has a selector that cannot be used: "),
            0U);
}

TEST(NodeDevicesExplain, NamesTaints) {
  NodeDevices devices = DevicesOn(1, 0);
  std::vector<Device> some = Gpus(2);
  some[0].taints = {{"broken", "fan", DeviceTaint::Effect::kNoSchedule}};
  devices.SetSlice(SliceOf("node0", some));
  EXPECT_EQ(WhyNot(devices, TaskOf({Want(2)})),
            "c/r: 2 devices of class gpu, 1 has only taints that it tolerates "
            "(others: broken=fan:NoSchedule); it needs 2");
}

TEST(NodeDevicesExplain, NamesAnAttributeThatDiffers) {
  NodeDevices devices = DevicesOn(1, 8);
  DeviceClaim claim = ClaimOf({Want(5)});
  claim.constraints.push_back({{}, "gpu.example.com/numa", {}});
  EXPECT_EQ(WhyNot(devices, {{claim}, {}}),
            "c: no free devices have one value of gpu.example.com/numa");
  claim.constraints = {{{}, {}, "gpu.example.com/numa"}};
  EXPECT_EQ(WhyNot(devices, {{claim}, {}}),
            "c: no free devices all differ in gpu.example.com/numa");
  EXPECT_EQ(WhyNot(devices, {{ClaimOf({Want(5)})}, {"gpu.example.com/numa"}}),
            ": the free devices of its claims are not aligned: none have one "
            "value of gpu.example.com/numa");
}

TEST(NodeDevicesExplain, SaysThatRequestsDoNotFitTogether) {
  NodeDevices devices = DevicesOn(1, 3);
  EXPECT_EQ(WhyNot(devices, TaskOf({Want(2), Named("s", Want(2))})),
            ": there is room for each of its requests, not for all");
}

TEST(NodeDevicesExplain, NamesAPoolThatIsBeingPublished) {
  NodeDevices devices = DevicesOn(1, 0);
  DeviceSlice slice = SliceOf("node0", Gpus(1));
  slice.slices = 2;
  devices.SetSlice(slice);
  DeviceRequest all = Want(0);
  all.choices[0].all = true;
  EXPECT_EQ(WhyNot(devices, TaskOf({all})),
            "c/r: pool node0 of driver gpu.example.com is being published, "
            "some slices are missing; it asks for all devices");
  EXPECT_EQ(WhyNot(devices, TaskOf({Want(1)})), "c/r: no device of class gpu");
}

TEST(NodeDevicesExplain, NamesASelectorThatCannotBeEvaluated) {
  NodeDevices devices = DevicesOn(1, 1);
  const std::string text = WhyNot(
      devices,
      TaskOf({Want(1, {R"(device.attributes["gpu.example.com"].no == 1)"})}));
  EXPECT_EQ(text.find("c/r: selector 1 of the request cannot be evaluated for "
                      "a device: "),
            0U)
      << text;
}

TEST(NodeDevicesExplain, SaysThatCountersAreTaken) {
  NodeDevices devices = DevicesOn(1, 0);
  DeviceSlice slice = SliceOf("node0", Gpus(2));
  slice.slices = 2;
  for (Device& each : slice.devices) {
    each.uses = {{"set", {{"memory", {2 * kUnit}}}}};
  }
  devices.SetSlice(slice);
  DeviceSlice counters = SliceOf("node0", {});
  counters.name = "counters";
  counters.slices = 2;
  counters.counters = {{"set", {{"memory", {3 * kUnit}}}}};
  devices.SetSlice(counters);
  devices.Book(1, 0, 0, devices.Take(TaskOf({Want(1)})), kNow);
  EXPECT_EQ(WhyNot(devices, TaskOf({Want(1)})),
            "c/r: 2 devices of class gpu, 1 is free, but too little is left of "
            "the counter memory of set (1, a device needs 2)");
}

// Each of two devices would have enough of it, not both.
TEST(NodeDevicesExplain, NamesTheCounterThatIsTooLittleForAllOfARequest) {
  NodeDevices devices = DevicesOn(1, 0);
  DeviceSlice slice = SliceOf("node0", Gpus(2));
  for (Device& each : slice.devices) {
    each.uses = {{"set", {{"engines", {kUnit}}, {"memory", {2 * kUnit}}}}};
  }
  slice.counters = {{"set", {{"engines", {kUnit}}, {"memory", {9 * kUnit}}}}};
  devices.SetSlice(slice);
  EXPECT_EQ(WhyNot(devices, TaskOf({Want(2)})),
            "c/r: 2 devices of class gpu; it needs 2, but too little is left "
            "of the counter engines of set (1, a device needs 1)");
}

TEST(NodeDevicesExplain, NamesTheCapacityThatIsTaken) {
  NodeDevices devices = DevicesOn(1, 0);
  std::vector<Device> one = Gpus(1);
  one[0].shared = true;
  one[0].capacity = {{"gpu.example.com/memory", {8 * kUnit}}};
  devices.SetSlice(SliceOf("node0", one));
  DeviceRequest five = Want(1);
  five.choices[0].amounts = {{"gpu.example.com/memory", {5 * kUnit}}};
  devices.Book(1, 0, 0, devices.Take(TaskOf({five})), kNow);
  EXPECT_EQ(WhyNot(devices, TaskOf({five})),
            "c/r: 1 device of class gpu, but too little is left of the "
            "capacity gpu.example.com/memory (3, a device needs 5)");
}

TEST(NodeDevicesExplain, ListsAlternatives) {
  NodeDevices devices = DevicesOn(1, 2);
  DeviceRequest request = Want(4);
  request.choices[0].name = "large";
  request.choices.push_back(Want(3).choices[0]);
  request.choices[1].name = "small";
  EXPECT_EQ(WhyNot(devices, TaskOf({request})),
            "c/r: large: 2 devices of class gpu; it needs 4; or small: 2 "
            "devices of class gpu; it needs 3");
}

TEST(NodeDevicesExplain, SaysThatAClaimIsElsewhere) {
  NodeDevices devices = DevicesOn(2, 1);
  DeviceClaim claim = ClaimOf({Want(1)});
  claim.shared = "ns/c";
  const TaskDevices task = {{claim}, {}};
  const DevicesId id = devices.Take(task);
  devices.Book(1, 0, 1, id, {10, 50, 10});
  EXPECT_EQ(WhyNot(devices, task),
            "c: it has its devices already, which this node cannot use");
  devices.Book(2, 0, 1, devices.Take(TaskOf({Want(1)})), {50, 60, 10});
  EXPECT_EQ(TextOf(devices.Explain(1, id, kNow)),
            "c: it has its devices already, which others hold in that time");
}

TEST(NodeDevicesExplain, NeverMeansThatNoDeviceOfTheClusterMatches) {
  NodeDevices devices = DevicesOn(2, 2);
  EXPECT_EQ(WhyNever(devices, TaskOf({Want(9)})), "not never");
  EXPECT_EQ(WhyNever(devices, TaskOf({Want(1, {OfDomain(7)})})),
            "c/r: none of the devices of class gpu matches its selectors");
  DeviceRequest either = Want(1, {OfDomain(7)});
  either.choices.push_back(Want(1).choices[0]);
  EXPECT_EQ(WhyNever(devices, TaskOf({either})), "not never");
  devices.RemoveSlice("node0");
  devices.RemoveSlice("node1");
  EXPECT_EQ(WhyNever(devices, TaskOf({Want(1)})),
            "c/r: no node has a device of class gpu");
}

}  // namespace
}  // namespace fluxnetes::matcher
