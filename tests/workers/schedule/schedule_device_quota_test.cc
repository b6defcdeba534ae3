// Quotas and fair shares that count devices by class, through a Schedule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/workers/support/schedule_story.h"
#include "workers/decision/device_news.h"

namespace fluxnetes::workers {
namespace {

using ::testing::AnyOf;

constexpr const char* kGpus = "gpu.deviceclass.resource.k8s.io/devices";

// One node with plenty of all.
class ScheduleDeviceQuota : public ::testing::Test {
 protected:
  ScheduleDeviceQuota() {
    story.Nodes("node0 cpu=64");
    DeviceNews news;
    news.classes = {{.name = "gpu", .selectors = {"true"}}};
    news.slices = {{.name = "of-node0",
                    .driver = "gpu.example.com",
                    .pool = "node0",
                    .generation = 1,
                    .nodes = {.node = "node0"}}};
    for (int i = 0; i < 16; ++i)
      news.slices[0].devices.push_back({.name = "gpu-" + std::to_string(i)});
    story.schedule.SetDevices(news);
  }

  void Limit(std::int64_t gpus) {
    story.schedule.SetAccounts({{.name = "team",
                                 .namespace_name = "default",
                                 .quota = {{kGpus, gpus}}}});
  }

  // Pods of one cpu, each with a claim of so many GPUs; all with the same one
  // if it has a name.
  static GroupOptions Gpus(int count, const std::string& shared = "") {
    GroupOptions options;
    options.rules.resource_claims = {
        {.name = "gpus",
         .claim = shared,
         .spec = R"({"devices":{"requests":[{"exactly":{"count":)" +
                 std::to_string(count) +
                 R"(,"deviceClassName":"gpu"},"name":"one"}]}})"}};
    return options;
  }

  Story story;
};

TEST_F(ScheduleDeviceQuota, GroupBeyondItWaitsUntilDevicesAreGivenBack) {
  Limit(4);
  story.Group("2x1", Gpus(1));
  story.Group("1x1", Gpus(3));
  story.Group("1x1");
  EXPECT_EQ(story.Decide(0), "1: node0 node0, 3: node0");
  EXPECT_EQ(story.Decide(0), "");
  EXPECT_EQ(story.OnlyReason(),
            "needs 3 gpu.deviceclass.resource.k8s.io/devices; of the quota of "
            "account team (4 gpu.deviceclass.resource.k8s.io/devices) 2 "
            "gpu.deviceclass.resource.k8s.io/devices is used or reserved");
  story.schedule.Release(1, Uid(1, 0));
  EXPECT_EQ(story.Decide(1), "2: node0");
}

TEST_F(ScheduleDeviceQuota, ClaimOfSeveralPodsCountsOnce) {
  Limit(3);
  story.Group("3x1", Gpus(2, "default/shared"));
  EXPECT_EQ(story.Decide(0), "1: node0 node0 node0");
  story.Group("1x1", Gpus(1));
  EXPECT_EQ(story.Decide(1), "2: node0");
  story.Group("1x1", Gpus(1));
  EXPECT_EQ(story.Decide(2), "");
  story.schedule.Release(1, Uid(1, 0));
  EXPECT_EQ(story.Decide(3), "");
  story.End(1);
  EXPECT_EQ(story.Decide(4), "3: node0");
}

// A pod that was placed again, and one of which only the record is left.
TEST_F(ScheduleDeviceQuota, ClaimThatOtherPodsHaveIsCountedAlready) {
  Limit(2);
  const GroupOptions options = Gpus(2, "default/shared");
  story.Group("3x1", options);
  ASSERT_EQ(story.Decide(0), "1: node0 node0 node0");
  story.schedule.Release(1, Uid(1, 0));
  story.schedule.Add(story.MakeGroup(1, "1x1", options, 7));
  EXPECT_EQ(story.Decide(1), "1: node0");
  // Nobody has it any more.
  story.schedule.Release(1, Uid(1, 1));
  story.schedule.Add(story.MakeGroup(1, "1x1", options, 8));
  for (const int member : {2, 7}) story.schedule.Release(1, Uid(1, member));
  story.Group("1x1", Gpus(1));
  EXPECT_EQ(story.Decide(2), "1: node0");
  story.schedule.Release(1, Uid(1, 8));
  EXPECT_EQ(story.Decide(3), "2: node0");
}

TEST_F(ScheduleDeviceQuota, ClaimOfARecordIsCountedAlready) {
  Limit(2);
  const GroupOptions options = Gpus(2, "default/shared");
  const auto device = [](int number) {
    return R"({"claim":"gpus","request":"one","driver":"gpu.example.com",)"
           R"("pool":"node0","device":"gpu-)" +
           std::to_string(number) + R"(","shared":"default/shared"})";
  };
  cluster::PodRequest request;
  request.resources.cpu_milli = 1'000;
  request.resources.pods = 1;
  request.resources.SetExtended(kGpus, 2);
  Held held = HeldOn("node0", 1, options, &request);
  held.members[0].devices = "[" + device(0) + "," + device(1) + "]";
  story.Restore(held, options);
  story.schedule.Add(story.MakeGroup(1, "1x1", options, 7));
  EXPECT_EQ(story.Decide(0), "1: node0");
}

TEST_F(ScheduleDeviceQuota, WhatIsReadOfARecordCountsTheSame) {
  Limit(2);
  cluster::PodRequest request;
  request.resources.cpu_milli = 1'000;
  request.resources.pods = 1;
  request.resources.SetExtended(kGpus, 2);
  story.Restore(HeldOn("node0", 7, {}, &request), {});
  story.Group("1x1", Gpus(1));
  story.Group("1x1");
  EXPECT_EQ(story.Decide(0), "2: node0");
}

TEST_F(ScheduleDeviceQuota, FairShareCountsThemAsAPartOfTheirClass) {
  story.schedule.SetQueue({.queue_order = QueueOrder::kFairShare});
  const auto of = [](const std::string& space, int count) {
    GroupOptions options = Gpus(count);
    options.namespace_name = space;
    options.duration = 100;
    return options;
  };
  story.Group("1x1", of("a", 4));
  story.Group("1x1", of("a", 4));
  for (int i = 0; i < 3; ++i) story.Group("1x1", of("b", 1));
  // Three of 16 GPUs are less than four; in all else the groups are equal, and
  // would take turns. Which of two accounts goes first that have used nothing
  // is open.
  EXPECT_THAT(story.Decide(1'000'000),
              AnyOf("1: node0, 3: node0, 4: node0, 5: node0, 2: node0",
                    "3: node0, 1: node0, 4: node0, 5: node0, 2: node0"));
}

}  // namespace
}  // namespace fluxnetes::workers
