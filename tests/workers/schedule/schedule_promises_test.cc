// Queues that keep many reservations: the slices of their cycles, and the
// reservations taken over from a former owner.
#include <gtest/gtest.h>

#include "tests/workers/support/promises_story.h"

namespace fluxnetes::workers {
namespace {

TEST_F(SchedulePromises, OfManyGroupsAreMadeInSlices) {
  Fill(300);
  EXPECT_GE(Settle(1), 3);
  ASSERT_EQ(promised.size(), 300U);
  for (GroupId id = 2; id <= 301; ++id)
    EXPECT_EQ(promised[id], 100 + 10 * (id - 2));
}

TEST_F(SchedulePromises, AreSaidWhileOthersAreStillMade) {
  Fill(3'000);
  for (int cycle = 0; cycle < 17; ++cycle) {
    story.Decide(1);
    for (const Reservation& each : story.decision.reserved)
      promised[each.group] = *each.start;
  }
  EXPECT_TRUE(story.schedule.More());
  EXPECT_GT(promised.size(), 2'000U);
  Settle(1);
  EXPECT_EQ(promised.size(), 3'000U);
}

// If each slice began at the front, the wide groups would be tried again after
// every few others, in vain: both nodes are never free for them.
TEST_F(SchedulePromises, HaveOneTurnEachUntilAllHadOne) {
  story.schedule.SetQueue(
      {.queue_policy = QueuePolicy::kConservative, .reservation_depth = 4'000});
  story.Nodes(
      "node0 cpu=4\nnode1 cpu=4\nnode2 cpu=1\nnode3 cpu=1\nnode4 cpu=1\n"
      "node5 cpu=1");
  const GroupId brief = story.Group("1x4", {.duration = 100});
  story.Group("1x4", {.duration = 10'000});
  story.Decide(0);
  for (int i = 0; i < 100; ++i) story.Group("2x4", {.duration = 10});
  for (int i = 0; i < 200; ++i) story.Group("1x4", {.duration = 10});
  Settle(1);
  ASSERT_EQ(promised[3], 10'000);
  ASSERT_EQ(promised[103], 100);
  story.End(brief);
  EXPECT_LE(Settle(2), 10);
  EXPECT_EQ(started, std::set<GroupId>{103});
  for (GroupId id = 104; id <= 302; ++id)
    EXPECT_EQ(promised[id], 2 + 10 * (id - 103));
  EXPECT_EQ(promised[3], 10'000);
}

// Neither of the first two groups to end makes enough room by itself.
TEST_F(SchedulePromises, AreMadeBetterByPlacesThatComeFreeOneByOne) {
  story.schedule.SetQueue({.queue_policy = QueuePolicy::kConservative});
  story.Nodes("node0 cpu=4\nnode1 cpu=4\nnode2 cpu=4");
  const GroupId first = story.Group("1x4", {.duration = 100});
  const GroupId second = story.Group("1x4", {.duration = 100});
  story.Group("1x4", {.duration = 50});
  story.Decide(0);
  story.Group("3x4", {.duration = 10});
  Settle(1);
  EXPECT_EQ(promised[4], 100);
  story.End(first);
  Settle(2);
  EXPECT_EQ(promised[4], 100);
  story.End(second);
  Settle(3);
  EXPECT_EQ(promised[4], 50);
}

// The rest of a drain set that a group ahead of its owner has entered.
TEST_F(SchedulePromises, AreMadeBetterByADrainSetThatIsChosenAnew) {
  story.schedule.SetQueue({.queue_policy = QueuePolicy::kConservative});
  story.Nodes("node0 cpu=8 zone=a\nnode1 cpu=8 zone=b\nnode2 cpu=4 zone=c");
  story.Group("1x1", {.selector = "zone=a"});
  story.Group("1x4", {.selector = "zone=b"});
  story.Group("1x4", {.duration = 2'000, .selector = "zone=b"});
  story.Group("1x4", {.duration = 1'000, .selector = "zone=c"});
  story.Decide(0);
  story.Group("1x8");
  const GroupId behind = story.Group("1x3");
  story.Decide(1);
  ASSERT_EQ(story.Reserved(), "5 drains node0, 6 at 1000 on node2");
  const GroupId before =
      story.Group("1x4", {.priority = 1, .selector = "zone=a"});
  Settle(2);
  EXPECT_EQ(started, (std::set<GroupId>{behind, before}));
}

TEST_F(SchedulePromises, PutOffLetThoseGoAheadWhoEndBeforeThem) {
  Fill(150);
  Settle(1);
  const GroupId first = story.Group("1x4", {.priority = 1, .duration = 1'000});
  const GroupId brief = story.Group("1x1", {.duration = 50});
  const GroupId lasting = story.Group("1x1", {.duration = 2'000});
  const GroupId next = story.Group("1x1", {.duration = 2'000});
  story.Decide(2);
  ASSERT_TRUE(story.schedule.More());
  ASSERT_EQ(story.decision.placed.size(), 1U);
  EXPECT_EQ(story.decision.placed[0].group, brief);
  story.End(brief);
  EXPECT_GE(Settle(3), 2);
  // On node1, delaying no group.
  EXPECT_EQ(started, std::set<GroupId>{lasting});
  EXPECT_EQ(promised[first], 100);
  for (GroupId id = 2; id <= 151; ++id)
    EXPECT_EQ(promised[id], 1'100 + 10 * (id - 2));
  EXPECT_EQ(promised[next], 2'003);
}

TEST_F(SchedulePromises, OfAnOwnerBeforeAreKeptAlsoWhereAnEarlierTimeIsTaken) {
  Fill(1);
  story.schedule.Promised({2, "default", 120, {"node0"}, {0}});
  const GroupId between = story.Group("1x4", {.duration = 20});
  Settle(1);
  // Its reservation moves earlier; the group behind gets what is left.
  EXPECT_EQ(promised[2], 100);
  EXPECT_EQ(promised[between], 110);
}

TEST_F(SchedulePromises, OfAQueueThatIsPausedAreTakenBack) {
  Fill(0);
  story.schedule.SetQueue(
      {.queue_policy = QueuePolicy::kConservative, .paused = true});
  const GroupId waits = story.Group("1x4", {.duration = 10});
  story.schedule.Promised({waits, "default", 100, {"node0"}, {0}});
  story.schedule.Promised({77, "default", 100, {"node0"}, {0}});
  story.Decide(1);
  EXPECT_FALSE(story.schedule.More());
  EXPECT_EQ(story.decision.unreserved, std::vector<GroupId>{waits});
  // Group 77 may still come.
  story.schedule.ForgetPromised();
  story.Decide(2);
  EXPECT_EQ(story.decision.unreserved, std::vector<GroupId>{77});
}

TEST_F(SchedulePromises, OfOnesWhoseNodesAreGoneAreMadeAnew) {
  Fill(2);
  story.schedule.Promised({2, "default", 100, {"node7"}, {0}});
  Settle(1);
  EXPECT_EQ(promised[2], 100);
  EXPECT_EQ(promised[3], 110);
}

}  // namespace
}  // namespace fluxnetes::workers
