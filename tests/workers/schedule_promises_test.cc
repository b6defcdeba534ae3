// Queues that keep many promises: what their cycles do in slices, and what they
// take over from an owner before them.
#include <gtest/gtest.h>

#include <set>

#include "tests/workers/schedule_story.h"

namespace fluxnetes::workers {
namespace {

class SchedulePromises : public ::testing::Test {
 protected:
  // One group holds node0 until 100; `waiting` others want it for 10 s each.
  void Fill(int waiting) {
    story.schedule.SetQueue({.queue_policy = QueuePolicy::kConservative,
                             .reservation_depth = 2'000});
    story.Nodes("node0 cpu=4\nnode1 cpu=1");
    story.Group("1x4", {.duration = 100});
    story.Decide(0);
    for (int i = 0; i < waiting; ++i) story.Group("1x4", {.duration = 10});
  }

  // Says how many cycles that took.
  int Settle(matcher::Time now) {
    int cycles = 0;
    do {
      story.Decide(now);
      ++cycles;
      for (const Placed& placed : story.decision.placed)
        started.insert(placed.group);
      for (const Reservation& each : story.decision.reserved)
        promised[each.group] = *each.start;
    } while (story.schedule.More() && cycles < 1'000);
    return cycles;
  }

  Story story;
  std::set<GroupId> started;
  std::map<GroupId, matcher::Time> promised;
};

TEST_F(SchedulePromises, OfManyGroupsAreMadeInSlices) {
  Fill(150);
  EXPECT_GE(Settle(1), 3);
  ASSERT_EQ(promised.size(), 150U);
  for (GroupId id = 2; id <= 151; ++id)
    EXPECT_EQ(promised[id], 100 + 10 * (id - 2));
}

TEST_F(SchedulePromises, AreSaidWhileOthersAreStillMade) {
  Fill(1'500);
  for (int cycle = 0; cycle < 17; ++cycle) {
    story.Decide(1);
    for (const Reservation& each : story.decision.reserved)
      promised[each.group] = *each.start;
  }
  EXPECT_TRUE(story.schedule.More());
  EXPECT_GT(promised.size(), 1'000U);
  Settle(1);
  EXPECT_EQ(promised.size(), 1'500U);
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
  EXPECT_EQ(started, std::set<GroupId>{lasting});  // node1, in nobody's way
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
  // It is made better; the group behind gets what is left.
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
