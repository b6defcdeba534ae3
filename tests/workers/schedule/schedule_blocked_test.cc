#include <gtest/gtest.h>

#include <map>

#include "tests/workers/support/schedule_story.h"
#include "workers/pending/reservation_plan.h"

namespace fluxnetes::workers {
namespace {

TEST(ScheduleBlocked, EasyReservesForTheFirstAndFillsBehindIt) {
  Story story;
  story.Nodes("node0 cpu=4");
  story.Group("1x3", {.duration = 100});
  story.Group("1x4", {.duration = 50});   // waits for 1
  story.Group("1x1", {.duration = 200});  // would delay 2
  story.Group("1x1", {.duration = 100});  // would not
  EXPECT_EQ(story.Decide(0), "1: node0, 4: node0");
  EXPECT_EQ(story.Reserved(), "2 at 100 on node0");
  EXPECT_EQ(story.schedule.NextDue(), 100);
  story.End(1);
  story.End(4);
  EXPECT_EQ(story.Decide(100), "2: node0");
  EXPECT_EQ(story.decision.unreserved, std::vector<GroupId>{2});
}

TEST(ScheduleBlocked, AnUnchangedReservationIsSaidOnce) {
  Story story;
  story.Nodes("node0 cpu=4\nnode1 cpu=1");
  story.Group("1x4", {.duration = 100});
  story.Group("1x4");
  story.Group("1x1", {.duration = 10});
  EXPECT_EQ(story.Decide(0), "1: node0, 3: node1");
  EXPECT_EQ(story.Reserved(), "2 at 100 on node0");
  story.End(3);
  story.Group("1x1", {.duration = 10});
  EXPECT_EQ(story.Decide(5), "4: node1");
  EXPECT_EQ(story.Reserved(), "");
  EXPECT_TRUE(story.decision.unreserved.empty());
}

TEST(ScheduleBlocked, ReservationMovesAheadWhenSomethingEndsEarly) {
  Story story;
  story.Nodes("node0 cpu=2\nnode1 cpu=2");
  story.Group("1x2", {.duration = 100});
  story.Group("1x2", {.duration = 200});
  story.Group("2x2", {.duration = 10});
  story.Decide(0);
  EXPECT_EQ(story.Reserved(), "3 at 200 on node0 node1");
  story.End(2);
  story.Decide(50);
  EXPECT_EQ(story.Reserved(), "3 at 100 on node0 node1");
}

TEST(ScheduleBlocked, CancelledGroupGivesItsReservationToTheNext) {
  Story story;
  story.Nodes("node0 cpu=4");
  story.Group("1x3", {.duration = 100});
  story.Group("1x4");
  story.Group("1x1");
  EXPECT_EQ(story.Decide(0), "1: node0");
  EXPECT_TRUE(story.schedule.Remove(2));
  EXPECT_FALSE(story.schedule.Remove(2));
  EXPECT_EQ(story.Decide(1), "3: node0");
  EXPECT_EQ(story.decision.unreserved, std::vector<GroupId>{2});
}

TEST(ScheduleBlocked, BlockedGroupWithoutATimeGetsNodesThatNothingElseEnters) {
  Story story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  story.Group("1x3");
  story.Group("1x2");
  story.Group("1x1");  // node0 is full now
  story.Group("1x4");  // no end is known
  story.Group("1x1", {.duration = 1});
  EXPECT_EQ(story.Decide(0), "1: node0, 2: node1, 3: node0");
  EXPECT_EQ(story.Reserved(), "4 drains node1");
  EXPECT_EQ(story.schedule.NextDue(), std::nullopt);
  story.End(3);
  EXPECT_EQ(story.Decide(1), "5: node0");
  EXPECT_EQ(story.Reserved(), "");
  story.End(2);
  EXPECT_EQ(story.Decide(2), "4: node1");
  EXPECT_EQ(story.decision.unreserved, std::vector<GroupId>{4});
}

TEST(ScheduleBlocked, DrainSetHoldsAgainstOtherQueuesToo) {
  Story story;
  story.schedule.SetQueue({.name = "other"});
  story.Nodes("node0 cpu=4");
  story.Group("1x3");
  story.Group("1x4");
  story.Group("1x1", {.queue = "other"});
  EXPECT_EQ(story.Decide(0), "1: node0");
  EXPECT_EQ(story.Reserved(), "2 drains node0");
}

TEST(ScheduleBlocked, AssumedDurationGivesATimeButNoDeadline) {
  Story story;
  story.schedule.SetQueue({.assumed_duration = 100});
  story.Nodes("node0 cpu=4");
  story.Group("1x3");
  story.Group("1x4");
  story.Group("1x1");
  EXPECT_EQ(story.Decide(0), "1: node0, 3: node0");
  EXPECT_EQ(story.decision.placed[0].end, std::nullopt);
  EXPECT_EQ(story.Reserved(), "2 at 100 on node0");
}

TEST(ScheduleBlocked, ReservationWhoseTimeHasComeInVainBecomesADrainSet) {
  Story story;
  story.Nodes("node0 cpu=4\nnode1 cpu=1");
  story.Group("1x3", {.duration = 100});
  story.Group("1x4");
  EXPECT_EQ(story.Decide(0), "1: node0");
  EXPECT_EQ(story.Decide(100), "");
  EXPECT_EQ(story.Reserved(), "2 drains node0");
  EXPECT_EQ(story.schedule.NextDue(), std::nullopt);
  story.Group("1x1", {.duration = 1});
  EXPECT_EQ(story.Decide(101), "3: node1");
  EXPECT_EQ(story.Reserved(), "");
  story.End(1);
  EXPECT_EQ(story.Decide(102), "2: node0");
}

TEST(ScheduleBlocked, EachEasyQueueHasABlockedGroupOfItsOwn) {
  Story story;
  story.schedule.SetQueue({.name = "other"});
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  story.Group("2x3", {.duration = 100});
  story.Group("1x4", {.duration = 10});
  story.Group("1x4", {.queue = "other", .duration = 10});
  story.Group("1x1", {.duration = 200});
  story.Decide(0);
  EXPECT_EQ(story.Reserved(), "2 at 100 on node0, 3 at 100 on node1");
  EXPECT_EQ(story.schedule.pending(), 3U);
}

TEST(ScheduleBlocked, GroupThatHoldsSomethingKeepsItWhileItIsPlannedAnew) {
  Story story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  const PendingGroup whole = story.MakeGroup(7, "2x3", {});
  story.schedule.Restore(HeldOn("node0", 7, {}, whole.members[0].request));
  story.Group("1x4", {.priority = 9, .duration = 100});
  story.schedule.Add(story.MakeGroup(7, "1x3", {}, 1));
  EXPECT_EQ(story.Decide(0), "1: node1");
  EXPECT_EQ(story.Reserved(), "7 at 100 on node1");
  story.End(1);
  EXPECT_EQ(story.Decide(1), "7: node1");
  EXPECT_EQ(story.schedule.NodeOf(Uid(7, 0)), "node0");
}

TEST(ScheduleBlocked, EndlessSmallGroupsDoNotStarveABlockedGroup) {
  Story story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4\nnode2 cpu=4\nnode3 cpu=4");
  const auto fill = [&story](int groups) {
    for (int i = 0; i < groups; ++i) story.Group("1x1");
  };
  fill(16);
  story.Decide(0);
  const GroupId big = story.Group("3x4");
  std::map<GroupId, matcher::Time> running;
  for (GroupId id = 1; id <= 16; ++id) running[id] = id % 7;
  for (matcher::Time now = 1; now < 50; ++now) {
    fill(3);
    for (auto it = running.begin(); it != running.end();) {
      if (it->second > now) {
        ++it;
        continue;
      }
      story.End(it->first);
      it = running.erase(it);
    }
    story.Decide(now);
    for (const Placed& placed : story.decision.placed) {
      if (placed.group == big) {
        EXPECT_LE(now, 7);
        return;
      }
      running[placed.group] = now + 1 + placed.group % 7;
    }
  }
  FAIL() << "the large group never started";
}

TEST(ScheduleBlocked, DrainSetIsOfTheNodesWithLeastToBeFreed) {
  Story story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4\nnode2 cpu=4");
  story.Group("1x3", {.priority = 9});                     // node0
  story.Group("1x2", {.priority = 8});                     // node1
  story.Group("1x4", {.priority = 7, .duration = 1'000});  // node2, has an end
  EXPECT_EQ(story.Decide(0), "1: node0, 2: node1, 3: node2");
  story.Group("2x4");
  story.Decide(1);
  EXPECT_EQ(story.Reserved(), "4 drains node1 node2");
}

TEST(ScheduleBlocked, DrainSetIsChosenAnewWhenANodeOfItGoes) {
  Story story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  story.Group("1x2", {.priority = 9});
  story.Group("1x3", {.priority = 9});
  story.Decide(0);
  story.Group("1x4");
  story.Decide(1);
  EXPECT_EQ(story.Reserved(), "3 drains node0");
  story.Nodes("node0 cpu=4 cordoned=1");
  story.Decide(2);
  EXPECT_EQ(story.Reserved(), "3 drains node1");
}

TEST(ScheduleBlocked,
     DrainSetIsChosenAnewWhenAGroupBeforeTheBlockedOneEntersIt) {
  Story story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  story.Group("1x2", {.priority = 9});
  story.Group("1x3", {.priority = 9});
  story.Decide(0);
  story.Group("1x4");
  story.Decide(1);
  EXPECT_EQ(story.Reserved(), "3 drains node0");
  story.Group("1x2", {.priority = 9});
  EXPECT_EQ(story.Decide(2), "4: node0");
  EXPECT_EQ(story.Reserved(), "3 drains node1");
}

TEST(ScheduleBlocked, DrainSetBecomesAReservationWhenAnEndIsKnown) {
  Story story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  story.Group("1x3", {.duration = 100});
  story.Group("1x3");
  story.Group("2x4");
  story.Decide(0);
  EXPECT_EQ(story.Reserved(), "3 drains node0 node1");
  story.End(2);
  story.Decide(1);
  EXPECT_EQ(story.Reserved(), "3 at 100 on node0 node1");
}

TEST(ScheduleBlocked, PromisesOfOtherQueuesHoldOnlyAgainstThoseBehind) {
  Story story;
  story.schedule.SetQueue({.name = "other"});
  story.Nodes("node0 cpu=4 zone=a\nnode1 cpu=4 zone=b");
  story.Group("2x3", {.priority = 9, .duration = 100});
  story.Group("1x4", {.queue = "other", .priority = 5, .selector = "zone=b"});
  story.Group("1x4", {.priority = 1, .selector = "zone=a"});
  GroupOptions options = {
      .queue = "other", .duration = 150, .selector = "zone=a"};
  story.Group("1x1", options);
  EXPECT_EQ(story.Decide(0), "1: node0 node1");
  EXPECT_EQ(story.Reserved(), "3 at 100 on node0, 2 at 100 on node1");
  options.priority = 3;
  story.Group("1x1", options);
  EXPECT_EQ(story.Decide(1), "5: node0");
  EXPECT_EQ(story.Reserved(), "3 at 151 on node0");
}

TEST(ScheduleBlocked, DuePromiseDoesNotHideWhatIsFreeFromThoseBefore) {
  Story story;
  story.schedule.SetQueue({.queue_policy = QueuePolicy::kFcfs});
  story.schedule.SetQueue({.name = "other"});
  story.Nodes("node0 cpu=4");
  story.Group("1x4", {.duration = 100});
  story.Group("1x3", {.duration = 10});
  story.Group("1x4", {.queue = "other", .duration = 10});
  EXPECT_EQ(story.Decide(0), "1: node0");
  EXPECT_EQ(story.Reserved(), "3 at 100 on node0");
  story.End(1);
  EXPECT_EQ(story.Decide(100), "2: node0");
  EXPECT_EQ(story.Reserved(), "3 at 110 on node0");
}

TEST(ScheduleBlocked, NewFirstOfAShapeThatDidNotFitIsAsked) {
  Story story;
  story.Nodes("node0 cpu=4");
  story.Group("1x3", {.duration = 100});
  story.Group("1x4");                     // the blocked one
  story.Group("1x1", {.duration = 101});  // would delay it
  EXPECT_EQ(story.Decide(0), "1: node0");
  story.Group("1x1",
              {.priority = 1, .duration = 101});  // ahead of the blocked one
  EXPECT_EQ(story.Decide(1), "4: node0");
  EXPECT_EQ(story.Reserved(), "2 at 102 on node0");
}

}  // namespace
}  // namespace fluxnetes::workers
