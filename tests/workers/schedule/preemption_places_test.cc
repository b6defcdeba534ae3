// The places that victims leave: which group gets them, over restarts, and if
// victims take longer or other groups come.
#include <gtest/gtest.h>

#include "tests/workers/support/preempting_story.h"

namespace fluxnetes::workers {
namespace {

TEST(PreemptionPlaces, ARestartNeitherEvictsOthersNorForgets) {
  for (const bool remembered : {false, true}) {
    Preempting before;
    before.Nodes("node0 cpu=4\nnode1 cpu=4");
    before.Group("1x4");
    before.Group("1x4");
    before.Decide(0);
    before.Urgent("1x4");
    before.Decide(1);
    EXPECT_EQ(before.Evicted(), "2 until 31 for 3");
    ASSERT_EQ(before.Reserved(), "3 at 31 on node1");

    Preempting after;
    after.Nodes("node0 cpu=4\nnode1 cpu=4");
    const auto* request = after.MakeGroup(9, "1x4", {}).members[0].request;
    after.schedule.Restore(HeldOn("node0", 1, {}, request));
    Held evicted = HeldOn("node1", 2, {}, request);
    evicted.end = 31;
    evicted.evictable = false;
    evicted.evicted_for = 3;
    after.schedule.Restore(evicted);
    after.schedule.Add(
        after.MakeGroup(3, "1x4", {.queue = "urgent", .priority = 10}));
    if (remembered) after.schedule.Promised(before.decision.reserved[0]);
    after.schedule.Add(
        after.MakeGroup(4, "1x4", {.queue = "urgent", .duration = 50}));
    EXPECT_EQ(after.Decide(5), "");
    EXPECT_EQ(after.Evicted(), "");
    EXPECT_EQ(after.Reserved(), remembered ? "" : "3 at 31 on node1");
    EXPECT_EQ(after.Decide(31), "");  // the victim takes longer
    EXPECT_EQ(after.Evicted(), "");
    EXPECT_EQ(after.Reserved(), "3 drains node1");
    after.End(2);
    EXPECT_EQ(after.Decide(33), "3: node1");
  }
}

TEST(PreemptionPlaces, PlacesAreKeptThoughAnotherIsFirstInItsQueueNow) {
  Preempting story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4\nnode2 cpu=4 zone=b");
  story.Group("1x4", {.priority = 30, .selector = "zone=b"});
  story.Group("2x4");
  story.Decide(0);
  story.Urgent("2x4");
  story.Decide(1);
  ASSERT_EQ(story.Evicted(), "2 until 31 for 3");
  story.Urgent("1x4", {.priority = 20, .selector = "zone=b"});
  story.Group("1x4");
  EXPECT_EQ(story.Decide(2), "");
  story.schedule.Release(2, Uid(2, 0));
  EXPECT_EQ(story.Decide(3), "");
  story.schedule.Release(2, Uid(2, 1));
  EXPECT_EQ(story.Decide(4), "3: node0 node1");
  EXPECT_EQ(story.Evicted(), "");
}

TEST(PreemptionPlaces, AVictimThatTakesLongerIsWaitedFor) {
  Preempting story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  story.Group("1x4");
  story.Group("1x4");
  story.Decide(0);
  story.Urgent("1x4");
  story.Decide(1);
  EXPECT_EQ(story.Evicted(), "2 until 31 for 3");
  for (matcher::Time now = 31; now < 60; ++now) {
    story.Decide(now);
    EXPECT_EQ(story.Evicted(), "");
  }
  story.Group("1x4", {.duration = 1});
  story.End(2);
  EXPECT_EQ(story.Decide(60), "3: node1");
}

TEST(PreemptionPlaces, APreemptorThatGoesLeavesThePlaceToOthers) {
  Preempting story;
  story.Nodes("node0 cpu=4");
  story.Group("1x4");
  story.Decide(0);
  story.Urgent("1x4");
  story.Decide(1);
  story.Group("1x4");
  story.Decide(2);
  EXPECT_TRUE(story.schedule.Remove(2));
  story.Decide(3);
  EXPECT_EQ(story.Reserved(), "3 at 31 on node0");
  story.End(1);
  EXPECT_EQ(story.Decide(4), "3: node0");
}

TEST(PreemptionPlaces, OneVictimIsNotTakenForTwo) {
  Preempting story;
  QueueSettings other = story.urgent;
  other.name = "other";
  story.schedule.SetQueue(other);
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  story.Group("1x4");
  story.Group("1x4", {.priority = 20});
  story.Decide(0);
  story.Urgent("1x4");
  story.Group("1x4", {.queue = "other", .priority = 9});
  story.Decide(1);
  EXPECT_EQ(story.Evicted(), "1 until 31 for 3");
  story.Decide(2);
  EXPECT_EQ(story.Evicted(), "");
}

TEST(PreemptionPlaces, IfAHigherGroupTakesThePlaceOthersAreEvicted) {
  Preempting story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  story.Group("1x4");
  story.Group("1x4");
  story.Decide(0);
  story.Urgent("1x4");
  story.Decide(1);
  EXPECT_EQ(story.Evicted(), "2 until 31 for 3");
  story.Group("1x4", {.priority = 20, .duration = 1'000});
  story.Decide(2);
  EXPECT_EQ(story.Evicted(), "1 until 32 for 3");
  story.End(2);
  EXPECT_EQ(story.Decide(3), "4: node1");
  EXPECT_EQ(story.Evicted(), "");
  story.End(1);
  EXPECT_EQ(story.Decide(4), "3: node0");
}

TEST(PreemptionPlaces, AGroupThatWasEvictedEvictsNobodyHigher) {
  Preempting story;
  story.Nodes("node0 cpu=4");
  story.Urgent("1x4", {.priority = 1});
  story.Decide(0);
  story.Urgent("1x4", {.priority = 2});
  story.Decide(1);
  EXPECT_EQ(story.Evicted(), "1 until 31 for 2");
  story.End(1);
  story.Urgent("1x4", {.priority = 1});  // again
  EXPECT_EQ(story.Decide(2), "2: node0");
  story.Decide(3);
  EXPECT_EQ(story.Evicted(), "");
}

TEST(PreemptionPlaces, AFirstComeQueueKeepsThePlaceToo) {
  Preempting story(QueuePolicy::kFcfs);
  story.Nodes("node0 cpu=4\nnode1 cpu=2");
  story.Group("1x2");
  story.Group("1x2");
  story.Decide(0);
  story.Group("1x2");
  story.Decide(0);
  story.Urgent("1x4");
  story.Urgent("1x1", {.duration = 1});  // stays behind it
  story.Decide(1);
  EXPECT_EQ(story.Evicted(), "2 until 31 for 4, 1 until 31 for 4");
  EXPECT_EQ(story.Reserved(), "4 at 31 on node0");
  story.Group("1x2", {.duration = 60});
  story.End(2);
  EXPECT_EQ(story.Decide(2), "");
  story.End(1);
  EXPECT_EQ(story.Decide(3), "4: node0");
}

TEST(PreemptionPlaces, AFirstComeQueueKeepsThePlaceWhenAnotherComesBeforeIt) {
  for (const auto policy : {QueuePolicy::kFcfs, QueuePolicy::kEasy}) {
    SCOPED_TRACE(ToString(policy));
    for (const matcher::Time ended : {31, 10}) {
      Preempting story(policy);
      story.Nodes("node0 cpu=4\nnode1 cpu=4");
      story.Group("1x4");
      story.Group("1x4", {.priority = 30, .duration = 1'000});
      EXPECT_EQ(story.Decide(0), "2: node0, 1: node1");
      story.Urgent("1x4", {.duration = 100});
      story.Decide(1);
      EXPECT_EQ(story.Evicted(), "1 until 31 for 3");
      story.Urgent("2x4", {.priority = 20});
      story.Decide(2);
      EXPECT_EQ(story.Reserved(), "4 at 1000 on node0 node1");
      // One group of another queue, behind both; and one of their queue, behind
      // the preemptor.
      story.Group("1x1", {.duration = 60});
      story.Urgent("1x1", {.priority = 5, .duration = 10});
      EXPECT_EQ(story.Decide(3), "");
      story.End(1);
      EXPECT_EQ(story.Decide(ended), "3: node1");
    }
  }
}

TEST(PreemptionPlaces, QueuesThatKeepPromisesPreemptForTheirFirst) {
  for (const auto policy : {QueuePolicy::kConservative, QueuePolicy::kHybrid}) {
    Preempting story(policy);
    story.Nodes("node0 cpu=4\nnode1 cpu=4");
    story.Group("1x4", {.duration = 500});
    story.Group("1x4", {.duration = 600});
    story.Decide(0);
    story.Urgent("1x4", {.duration = 100});
    story.Urgent("1x4", {.duration = 100});
    story.Decide(1);
    EXPECT_EQ(story.Evicted(), "2 until 31 for 3");
    while (story.schedule.More()) story.Decide(1);
    story.End(2);
    EXPECT_EQ(story.Decide(5), "3: node1");
    while (story.schedule.More()) story.Decide(5);
    story.Decide(6);
    EXPECT_EQ(story.Evicted(), "");
  }
}

}  // namespace
}  // namespace fluxnetes::workers
