// Maintenance in a schedule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/workers/support/schedule_story.h"

namespace fluxnetes::workers {
namespace {

using ::testing::HasSubstr;

TEST(ScheduleClosures, OnlyWhatEndsBeforeMaintenanceStartsThere) {
  Story story;
  story.Nodes("node0 cpu=4");
  story.schedule.SetClosures({{1, 100, 200, {"node0"}}}, 0);
  story.Group("1x1", {.duration = 100});
  story.Group("1x1", {.duration = 101});
  story.Group("1x1");
  EXPECT_EQ(story.Decide(0), "1: node0");
  EXPECT_EQ(story.Reserved(), "2 at 200 on node0");
}

TEST(ScheduleClosures, NothingStartsWhileItLastsAndAllAfterwards) {
  Story story;
  story.Nodes("node0 cpu=4");
  story.schedule.SetClosures({{1, 100, 200, {"node0"}}}, 0);
  story.Group("1x1", {.duration = 10});
  story.Group("1x1");
  EXPECT_EQ(story.Decide(150), "");
  story.schedule.SetClosures({}, 200);
  EXPECT_EQ(story.Decide(200), "1: node0, 2: node0");
}

TEST(ScheduleClosures, OtherNodesAreUsedInstead) {
  Story story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  story.schedule.SetClosures({{1, 100, std::nullopt, {"node0"}}}, 0);
  story.Group("1x1");
  story.Group("1x1", {.duration = 50});
  EXPECT_EQ(story.Decide(0), "1: node1, 2: node0");
}

// The maintenance need not leave room for running groups: these go on.
TEST(ScheduleClosures, WhatRunsIntoMaintenanceStays) {
  Story story;
  story.Nodes("node0 cpu=4");
  story.Group("1x3");
  EXPECT_EQ(story.Decide(0), "1: node0");
  story.schedule.SetClosures({{1, 100, 200, {"node0"}}}, 10);
  story.Group("1x1", {.duration = 91});
  story.Group("1x1", {.duration = 90});
  EXPECT_EQ(story.Decide(10), "3: node0");
  EXPECT_EQ(story.schedule.NodeOf(Uid(1, 0)), "node0");
  story.End(1);
  EXPECT_EQ(story.Decide(150), "");
}

TEST(ScheduleClosures, PromiseThatMeetsItIsPlannedAnew) {
  Story story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  story.Group("1x4", {.duration = 100});
  story.Group("1x4", {.duration = 300});
  story.Group("1x4", {.duration = 50});
  EXPECT_EQ(story.Decide(0), "1: node0, 2: node1");
  EXPECT_EQ(story.Reserved(), "3 at 100 on node0");
  story.schedule.SetClosures({{1, 120, std::nullopt, {"node0"}}}, 10);
  story.Decide(10);
  EXPECT_EQ(story.Reserved(), "3 at 300 on node1");
  story.schedule.SetClosures({}, 20);
  story.Decide(20);
  EXPECT_EQ(story.Reserved(), "3 at 100 on node0");
}

TEST(ScheduleClosures, MaintenanceWithoutEndThatHasBegunIsLikeACordon) {
  Story story;
  story.Nodes("node0 cpu=4\nnode1 cpu=2");
  story.schedule.SetClosures({{1, 0, std::nullopt, {"node0"}}}, 0);
  story.Group("1x4");
  EXPECT_EQ(story.Decide(0), "");
  ASSERT_EQ(story.decision.verdicts.size(), 1U);
  EXPECT_TRUE(story.decision.verdicts[0].unsatisfiable);
  story.schedule.SetClosures({}, 1);
  EXPECT_EQ(story.Decide(1), "1: node0");
}

TEST(ScheduleClosures, NodesAreNotKeptFreeForAGroupThatCannotUseThem) {
  Story story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  story.Group("1x1");
  story.Group("1x4");
  EXPECT_EQ(story.Decide(0), "1: node0, 2: node1");
  story.schedule.SetClosures({{1, 500, std::nullopt, {"node0"}}}, 10);
  story.Group("1x4");
  EXPECT_EQ(story.Decide(10), "");
  EXPECT_EQ(story.Reserved(), "3 drains node1");
}

TEST(ScheduleClosures, ReasonSaysSo) {
  Story story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  story.schedule.SetClosures({{1, 100, 200, {"node0", "node1"}}}, 0);
  story.Group("1x1");
  story.Decide(0);
  EXPECT_THAT(story.OnlyReason(),
              HasSubstr("2 nodes are kept free for maintenance"));
}

TEST(ScheduleClosures, SeveralMayOverlapAndEachIsUndoneAlone) {
  Story story;
  story.Nodes("node0 cpu=4");
  const NodeClosure first{1, 100, 300, {"node0"}};
  const NodeClosure second{2, 200, 400, {"node0"}};
  story.schedule.SetClosures({first, second}, 0);
  story.Group("1x1", {.duration = 150});
  story.Decide(0);
  EXPECT_EQ(story.Reserved(), "1 at 400 on node0");
  story.schedule.SetClosures({second}, 0);
  EXPECT_EQ(story.Decide(0), "1: node0");
}

TEST(ScheduleClosures, PictureOfWhatIsHeldIsWithoutThem) {
  Story story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  story.Group("1x1");
  story.Decide(0);
  const std::string before = story.schedule.Describe();
  story.schedule.SetClosures(
      {{1, 100, 200, {"node0"}}, {2, 0, std::nullopt, {"node1"}}}, 0);
  EXPECT_EQ(story.schedule.Describe(), before);
  story.Group("1x1");
  EXPECT_EQ(story.Decide(0), "") << "they are there again";
}

TEST(ScheduleClosures, NodeThatGoesAndComesBackIsClosedAnew) {
  Story story;
  story.Nodes("node0 cpu=4");
  const NodeClosure closure{1, 0, std::nullopt, {"node0"}};
  story.schedule.SetClosures({closure}, 0);
  story.schedule.RemoveNode("node0");
  story.schedule.SetClosures({}, 0);
  story.Nodes("node0 cpu=8");
  story.schedule.SetClosures({closure}, 0);
  story.Group("1x1");
  EXPECT_EQ(story.Decide(0), "");
}

}  // namespace
}  // namespace fluxnetes::workers
