// NodeDevices against PlainDevices, by seeds: whatever is booked, released,
// published and allocated, both give the same answers and the same devices. The
// long form (FLUXNETES_TEST_LONG=1) plays more seeds; FLUXNETES_TEST_SEED plays
// one.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "device_stage.h"
#include "matcher/devices/devices_text.h"
#include "plain_devices.h"

namespace fluxnetes::matcher {
namespace {

constexpr int kNodes = 3;
constexpr Int128 kOne = 1'000'000'000;

class DevicesPlay {
 public:
  explicit DevicesPlay(unsigned seed)
      : random_(seed), devices_(DevicesOn(kNodes, 0)) {
    for (NodeIndex n = 0; n < kNodes; ++n) {
      plain_.SetNode(n, NodeName(n), {{"kubernetes.io/hostname", NodeName(n)}});
      Publish(NodeName(n));
    }
    Publish("");
    for (int i = 0; i < 5; ++i) tasks_.push_back(RandomTask());
    for (const TaskDevices& each : tasks_) ids_.push_back(devices_.Take(each));
  }

  void Step() {
    ++now_;
    switch (Below(9)) {
      case 0:
      case 1:
      case 2:
        Book();
        break;
      case 3:
        Drop();
        break;
      case 4:
        Publish(Below(3) == 0 ? "" : NodeName(Below(kNodes)));
        break;
      case 5:
        Allocate();
        break;
      case 6:
        Renew(Below(static_cast<int>(tasks_.size())));
        break;
      default:
        break;
    }
    for (int i = 0; i < 3; ++i) Compare();
  }

 private:
  int Below(int limit) {
    return std::uniform_int_distribution<int>(0, limit - 1)(random_);
  }
  static std::string NodeName(NodeIndex node) {
    return "node" + std::to_string(node);
  }

  Device RandomDevice(int number) {
    Device device;
    device.name = "d" + std::to_string(number);
    if (Below(6) != 0) {
      device.attributes["a.example/numa"] = std::int64_t{Below(2)};
    }
    device.attributes["a.example/uuid"] = std::to_string(random_());
    switch (Below(4)) {
      case 0:
        device.uses = {{"s", {{"mem", {(1 + Below(2)) * kOne}}}}};
        break;
      case 1:
        device.shared = true;
        device.capacity["a.example/mem"] = {(1 + Below(3)) * kOne};
        device.policies["a.example/mem"].fallback = DeviceAmount{kOne};
        break;
      default:
        break;
    }
    return device;
  }

  // A slice of a node, or of all nodes, and the one with its counters.
  void Publish(const std::string& node) {
    std::vector<Device> some;
    const int count = 1 + Below(4);
    for (int i = 0; i < count; ++i) some.push_back(RandomDevice(i));
    DeviceSlice slice = SliceOf(node, some);
    slice.slices = 2;
    DeviceSlice counters = SliceOf(node, {});
    counters.name += "-counters";
    counters.slices = 2;
    counters.counters = {{"s", {{"mem", {(1 + Below(4)) * kOne}}}}};
    for (const DeviceSlice& each : {counters, slice}) {
      devices_.SetSlice(each);
      plain_.SetSlice(each);
    }
  }

  DeviceRequest RandomRequest(const std::string& name) {
    DeviceRequest request = Named(name, Want(1 + Below(2)));
    request.choices[0].all = Below(8) == 0;
    return request;
  }

  TaskDevices RandomTask() {
    TaskDevices task;
    const int claims = 1 + Below(2);
    for (int c = 0; c < claims; ++c) {
      DeviceClaim claim = ClaimOf({RandomRequest("r")});
      claim.name = "c" + std::to_string(c);
      if (Below(3) == 0) claim.requests.push_back(RandomRequest("s"));
      if (Below(3) == 0) {
        claim.constraints.push_back({{}, "a.example/numa", {}});
      }
      if (Below(4) == 0) claim.shared = "ns/shared" + std::to_string(c);
      task.claims.push_back(claim);
    }
    return task;
  }

  // A request goes, and another one takes its place.
  void Renew(int number) {
    devices_.Give(ids_[number]);
    tasks_[number] = RandomTask();
    ids_[number] = devices_.Take(tasks_[number]);
  }

  InsideWindow RandomWindow() {
    InsideWindow window;
    window.now = now_;
    window.from = now_ + (Below(2) == 0 ? 0 : Below(10));
    window.end = window.from + 1 + Below(10);
    return window;
  }

  void Book() {
    const int number = Below(static_cast<int>(tasks_.size()));
    const NodeIndex node = Below(kNodes);
    const InsideWindow window = RandomWindow();
    const JobId job = 1 + Below(6);
    const int task = ++booked_;
    const auto names = plain_.Book(job, task, node, tasks_[number], window);
    const bool fits = devices_.Book(job, task, node, ids_[number], window);
    ASSERT_EQ(fits, names.has_value());
    if (!fits) return;
    std::multiset<DeviceId> got;
    for (const auto& each : ReadDevices(devices_.DevicesOf(job, task))) {
      got.insert(each.id);
    }
    EXPECT_EQ(got, std::multiset<DeviceId>(names->begin(), names->end()));
    held_.emplace_back(job, task);
  }

  void Drop() {
    if (held_.empty()) return;
    const auto [job, task] = held_[Below(static_cast<int>(held_.size()))];
    if (Below(4) == 0) {
      devices_.Cancel(job);
      plain_.Cancel(job);
      std::erase_if(held_,
                    [of = job](const auto& each) { return each.first == of; });
    } else {
      devices_.Release(job, task);
      plain_.Release(job, task);
      std::erase(held_, std::pair(job, task));
    }
  }

  void Allocate() {
    const int number = Below(4);
    const std::string claim = number < 2 ? "ns/shared" + std::to_string(number)
                                         : "ns/c" + std::to_string(number);
    if (Below(3) == 0) {
      devices_.ForgetAllocated(claim);
      plain_.ForgetAllocated(claim);
      return;
    }
    AllocatedDevice each;
    each.claim = "c";
    each.request = "r";
    const bool wide = Below(2) == 0;
    const std::string node = NodeName(Below(kNodes));
    each.id = {kDriver, wide ? kWidePool : node,
               "d" + std::to_string(Below(4))};
    DeviceNodes nodes;
    nodes.all = wide;
    if (!wide) nodes.node = node;
    devices_.SetAllocated(claim, {each}, nodes);
    plain_.SetAllocated(claim, {each}, nodes);
  }

  void Compare() {
    const int number = Below(static_cast<int>(tasks_.size()));
    const NodeIndex node = Below(kNodes);
    InsideWindow window = RandomWindow();
    const std::vector<JobId> without = {1 + Below(6)};
    if (Below(4) == 0) window.without = without;
    std::vector<DevicesBeside> beside;
    std::vector<PlainDevices::Beside> plain_beside;
    const int others = Below(3);
    for (int i = 0; i < others; ++i) {
      const int other = Below(static_cast<int>(tasks_.size()));
      beside.push_back({Below(kNodes), ids_[other], 1 + Below(2)});
      plain_beside.push_back(
          {beside.back().node, &tasks_[other], beside.back().tasks});
    }
    ASSERT_EQ(devices_.Fit(node, ids_[number], 3, window, beside),
              plain_.Fit(node, tasks_[number], 3, &window, plain_beside))
        << Told(node, tasks_[number], window, plain_beside);
    ASSERT_EQ(devices_.FitEmpty(node, ids_[number], 3, beside),
              plain_.Fit(node, tasks_[number], 3, nullptr, plain_beside));
  }

  static std::string Told(const TaskDevices& task) {
    std::string text;
    for (const DeviceClaim& claim : task.claims) {
      text += claim.name + " " + claim.shared + ":";
      for (const DeviceRequest& request : claim.requests) {
        text += request.choices[0].all
                    ? " all"
                    : " " + std::to_string(request.choices[0].count);
      }
      if (!claim.constraints.empty()) text += " matching";
      text += "; ";
    }
    return text;
  }
  std::string Told(NodeIndex node, const TaskDevices& task,
                   const InsideWindow& window,
                   const std::vector<PlainDevices::Beside>& beside) const {
    std::string text = NodeName(node) + " " + Told(task) + "in [" +
                       std::to_string(window.from) + ", " +
                       std::to_string(window.end) + ") at " +
                       std::to_string(window.now);
    if (!window.without.empty()) {
      text += " without job " + std::to_string(window.without[0]);
    }
    for (const PlainDevices::Beside& each : beside) {
      text += "\nbeside " + std::to_string(each.tasks) + " on " +
              NodeName(each.node) + ": " + Told(*each.devices);
    }
    for (NodeIndex n = 0; n < kNodes; ++n) {
      for (const std::string& line : devices_.DescribeOn(n)) {
        text += "\n" + NodeName(n) + " " + line;
      }
    }
    return text;
  }

  std::mt19937 random_;
  NodeDevices devices_;
  PlainDevices plain_;
  std::vector<TaskDevices> tasks_;
  std::vector<DevicesId> ids_;
  std::vector<std::pair<JobId, int>> held_;
  int booked_ = 0;
  Time now_ = 100;
};

void PlayDevices(unsigned seed) {
  SCOPED_TRACE("FLUXNETES_TEST_SEED=" + std::to_string(seed));
  DevicesPlay play(seed);
  for (int step = 0; step < 60; ++step) {
    ASSERT_NO_FATAL_FAILURE(play.Step()) << "step " << step;
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(NodeDevicesRandom, AnswersAsItsPlainTwin) {
  if (const char* one = std::getenv("FLUXNETES_TEST_SEED")) {
    PlayDevices(static_cast<unsigned>(std::atoi(one)));
    return;
  }
  const bool is_long = std::getenv("FLUXNETES_TEST_LONG") != nullptr;
  const unsigned seeds = is_long ? 2000 : 25;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    ASSERT_NO_FATAL_FAILURE(PlayDevices(seed));
  }
}

}  // namespace
}  // namespace fluxnetes::matcher
