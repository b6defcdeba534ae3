// The ways of tasks that are to have all in one domain: see aligned_tasks.h.
#include "matcher/node_devices/aligned_tasks.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "device_stage.h"
#include "matcher/inside/short_structure.h"

namespace fluxnetes::matcher {
namespace {

// A node with two NUMA domains of 4 cores, and 4 GPUs in each.
class WaysOfTasks : public ::testing::Test {
 protected:
  WaysOfTasks() { interior.Set(0, ReadShortStructure("numa: 2, cores: 8")); }

  AlignedTasks::Task TaskOfCpus(std::int64_t cpus, int gpus,
                                Align align = Align::kNuma) {
    InsideWish wish;
    wish.align = align;
    wish.cpus = cpus;
    return {interior.Take(matcher::RequestOf(wish)),
            devices.Take(TaskOf({Want(gpus)}))};
  }

  // In which domains tasks go one after the other: "01".
  std::string Ways(const AlignedTasks::Task& task) {
    AlignedTasks::Beside beside;
    std::string ways;
    while (const auto way = aligned.Next(0, task, &kNow, beside)) {
      ways += interior.Of(way->inside).within.back();
      beside.inside.push_back({way->inside, 1});
      beside.devices.push_back({0, way->devices, 1});
    }
    return ways;
  }

  NodeInterior interior;
  NodeDevices devices = DevicesOn(1, 8);
  AlignedTasks aligned{interior, devices};
};

TEST_F(WaysOfTasks, TaskGoesToTheFirstDomainThatHasBoth) {
  EXPECT_EQ(Ways(TaskOfCpus(1, 3)), "01");
  EXPECT_EQ(Ways(TaskOfCpus(3, 1)), "01");
  EXPECT_EQ(Ways(TaskOfCpus(2, 2)), "0011");
  const DevicesId some = devices.Take(TaskOf({Want(3)}));
  devices.Book(1, 0, 0, some, kNow);  // in domain 0
  EXPECT_EQ(Ways(TaskOfCpus(2, 2)), "11");
  EXPECT_EQ(Ways(TaskOfCpus(2, 1)), "011");
}

TEST_F(WaysOfTasks, OnlyTasksWithBothAreBound) {
  const AlignedTasks::Task task = TaskOfCpus(1, 1);
  EXPECT_TRUE(aligned.Binds(task));
  EXPECT_FALSE(aligned.Binds({task.inside, kNoDevices}));
  EXPECT_FALSE(aligned.Binds({kNoShape, task.devices}));
  EXPECT_FALSE(aligned.Binds(TaskOfCpus(1, 1, Align::kAnywhere)));
}

TEST_F(WaysOfTasks, WhereADeviceIsItsDriverSaysByOneOfSomeNames) {
  for (const char* const name :
       {"resource.kubernetes.io/numaNode", "gpu.example.com/numaNode",
        "gpu.example.com/numaNodeID", "gpu.example.com/numa",
        "dra.net/numaNode"}) {
    SCOPED_TRACE(name);
    Device gpu;
    gpu.name = "gpu0";
    gpu.attributes[name] = std::int64_t{1};
    devices.SetSlice(SliceOf("node0", {gpu}));
    EXPECT_EQ(Ways(TaskOfCpus(1, 1)), "1");
    gpu.attributes[name] = std::string("1");
    devices.SetSlice(SliceOf("node0", {gpu}));
    EXPECT_EQ(Ways(TaskOfCpus(1, 1)), "");
  }
  Device gpu;
  gpu.name = "gpu0";
  gpu.attributes["other.example.com/numaNode"] = std::int64_t{1};
  devices.SetSlice(SliceOf("node0", {gpu}));
  EXPECT_EQ(Ways(TaskOfCpus(1, 1)), "");
  // What Kubernetes has a name for counts first.
  gpu.attributes["gpu.example.com/numa"] = std::int64_t{0};
  gpu.attributes["resource.kubernetes.io/numaNode"] = std::int64_t{1};
  devices.SetSlice(SliceOf("node0", {gpu}));
  EXPECT_EQ(Ways(TaskOfCpus(1, 1)), "1");
}

TEST_F(WaysOfTasks, WaysAreGivenBackWithTheirTasks) {
  AlignedTasks::Task last;
  for (int i = 0; i < 2'000; ++i) {
    const AlignedTasks::Task task = TaskOfCpus(1, 1 + i % 4);
    const TaskDevices asked =
        TaskOf({Want(1, {"device.attributes[\"gpu.example.com\"].index >= " +
                         std::to_string(i % 8) + " - " + std::to_string(i)})});
    const AlignedTasks::Task other{task.inside, devices.Take(asked)};
    const auto way = aligned.Next(0, other, &kNow, {});
    ASSERT_TRUE(way);
    if (i == 0) last = *way;
    aligned.Sweep();
    EXPECT_TRUE(devices.Knows(way->devices));
    devices.Give(other.devices);
  }
  EXPECT_FALSE(devices.Knows(last.devices));
}

}  // namespace
}  // namespace fluxnetes::matcher
