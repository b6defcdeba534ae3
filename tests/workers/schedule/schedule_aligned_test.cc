// Groups whose pods have the devices of their claims in one domain of their
// node with their cpus, through a Schedule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "matcher/devices/devices_text.h"
#include "tests/workers/support/schedule_story.h"
#include "workers/decision/device_news.h"

namespace fluxnetes::workers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A node with 4 NUMA domains of 4 cpus and some GPUs.
class ScheduleAligned : public ::testing::Test {
 protected:
  // The NUMA domain of each GPU; -1: its driver does not say it.
  void SetGpus(const std::vector<int>& domains) {
    cluster::Node node = Story::MakeNode("node0 cpu=16");
    node.structure.Own() = "sockets: 2, numa: 4, cores: 16";
    story.schedule.SetNode(node);
    DeviceNews news;
    news.classes = {{.name = "gpu", .selectors = {"true"}}};
    news.slices = {{.name = "of-node0",
                    .driver = "gpu.example.com",
                    .pool = "node0",
                    .generation = 1,
                    .nodes = {.node = "node0"}}};
    for (std::size_t i = 0; i < domains.size(); ++i) {
      matcher::Device gpu;
      gpu.name = "gpu-" + std::to_string(i);
      if (domains[i] >= 0)
        gpu.attributes["gpu.example.com/numaNode"] = std::int64_t{domains[i]};
      news.slices[0].devices.push_back(gpu);
    }
    story.schedule.SetDevices(news);
  }

  static GroupOptions Aligned(int gpus, bool required = true) {
    GroupOptions options;
    options.rules.inside.align = "numa";
    options.rules.inside.align_required = required;
    options.rules.resource_claims = {
        {.name = "gpus",
         .spec = R"({"devices":{"requests":[{"exactly":{"count":)" +
                 std::to_string(gpus) +
                 R"(,"deviceClassName":"gpu"},"name":"one"}]}})"}};
    return options;
  }

  // "socket0/numa0/core0: gpu-0", for each pod of the last group placed.
  std::vector<std::string> LastPlaced() const {
    std::vector<std::string> lines;
    for (const PlacedMember& member : story.decision.placed.back().members) {
      lines.push_back(member.parts + ":");
      for (const auto& each : matcher::ReadDevices(member.devices))
        lines.back() += " " + each.id.device;
    }
    return lines;
  }

  Story story;
};

TEST_F(ScheduleAligned, PodHasItsCpusWhereItsDevicesAre) {
  SetGpus({2, 2, 3});
  story.Group("2x3", Aligned(1));
  EXPECT_EQ(story.Decide(0), "1: node0 node0");
  EXPECT_THAT(LastPlaced(), ElementsAre("socket1/numa2/core[8-10]: gpu-0",
                                        "socket1/numa3/core[12-14]: gpu-2"));
}

TEST_F(ScheduleAligned, GroupSaysThatCpusAndDevicesAreApart) {
  story.schedule.SetQueue(
      {.queue_policy = QueuePolicy::kHybrid, .reservation_depth = 0});
  SetGpus({0, 0});
  story.Group("1x3", Aligned(1));
  EXPECT_EQ(story.Decide(0), "1: node0");
  story.Group("1x2", Aligned(1));
  EXPECT_EQ(story.Decide(1), "");
  EXPECT_THAT(story.OnlyReason(),
              HasSubstr("1 node does not have the devices of its claims free "
                        "in one NUMA domain with its cpus and memory (node "
                        "node0: where its devices are free, its cpus and "
                        "memory are not)"));
  story.Group("1x2", Aligned(1, /*required=*/false));
  EXPECT_EQ(story.Decide(2), "3: node0");
  EXPECT_THAT(LastPlaced(), ElementsAre("socket0/numa1/core[4-5]: gpu-1"));
}

TEST_F(ScheduleAligned, DevicesThatDoNotSayTheirDomainAreNamed) {
  SetGpus({-1, -1});
  story.Group("1x1", Aligned(1));
  EXPECT_EQ(story.Decide(0), "");
  ASSERT_EQ(story.decision.verdicts.size(), 1U);
  EXPECT_TRUE(story.decision.verdicts[0].unsatisfiable);
  EXPECT_THAT(story.decision.verdicts[0].reason,
              HasSubstr("none of the devices of class gpu that it selects is "
                        "in a NUMA domain by an attribute numaNode"));
  SetGpus({-1, 3});
  EXPECT_EQ(story.Decide(1), "1: node0");
}

TEST_F(ScheduleAligned, NoDomainWithEnoughDevicesIsSaidOnce) {
  SetGpus({0, 1});
  story.Group("1x1", Aligned(2));
  EXPECT_EQ(story.Decide(0), "");
  ASSERT_EQ(story.decision.verdicts.size(), 1U);
  EXPECT_THAT(story.decision.verdicts[0].reason,
              HasSubstr("no node that it may use has the devices of its claims "
                        "in one NUMA domain with its cpus and memory, even if "
                        "no pod held any"));
}

}  // namespace
}  // namespace fluxnetes::workers
