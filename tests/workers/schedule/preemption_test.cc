// Which groups are evicted for which, and which are not.
#include "workers/preemption/preemption.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/workers/support/preempting_story.h"

namespace fluxnetes::workers {
namespace {

TEST(Preemption, IsOffByDefault) {
  Story story;
  story.Nodes("node0 cpu=4");
  story.Group("1x4");
  story.Group("1x4", {.priority = 10});
  EXPECT_EQ(story.Decide(0), "2: node0");
  EXPECT_EQ(story.Evicted(), "");
  story.Group("1x4", {.priority = 20});
  EXPECT_EQ(story.Decide(1), "");
  EXPECT_EQ(story.Evicted(), "");
}

TEST(Preemption, TheVictimEndsAfterItsGraceAndThePreemptorHasItsPlace) {
  Preempting story;
  story.Nodes("node0 cpu=4");
  story.Group("1x4", {.grace = 45});
  EXPECT_EQ(story.Decide(0), "1: node0");
  story.Urgent("1x4");
  EXPECT_EQ(story.Decide(100), "");
  EXPECT_EQ(story.Evicted(), "1 until 145 for 2");
  EXPECT_EQ(story.Reserved(), "2 at 145 on node0");
  // Nothing more is evicted while the victim ends, and no other group takes its
  // place.
  story.Group("1x4");
  story.Decide(120);
  EXPECT_EQ(story.Evicted(), "");
  story.End(1);
  EXPECT_EQ(story.Decide(130), "2: node0");
  EXPECT_EQ(story.Evicted(), "");
}

TEST(Preemption, IsTriedAgainWhenOneHasEndedThatWasLeftToEndByItself) {
  Preempting story;
  story.Nodes("node0 cpu=2\nnode1 cpu=2");
  story.Group("1x2", {.grace = 2});
  story.Group("1x2", {.duration = 10, .grace = 20});
  EXPECT_EQ(story.Decide(0), "1: node0, 2: node1");
  story.Urgent("2x2");
  story.Decide(1);
  EXPECT_EQ(story.Evicted(), "");  // group 2 would run longer
  story.End(2);
  story.Decide(10);
  EXPECT_EQ(story.Evicted(), "1 until 12 for 3");
}

TEST(Preemption, EqualAndHigherPriorityAreNeverEvicted) {
  Preempting story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  story.Group("1x4", {.priority = 10});
  story.Group("1x4", {.priority = 11});
  EXPECT_EQ(story.Decide(0), "2: node0, 1: node1");
  story.Urgent("1x4");
  story.Decide(1);
  EXPECT_EQ(story.Evicted(), "");
}

TEST(Preemption, PodsThatNeverPreemptDoNot) {
  Preempting story;
  story.Nodes("node0 cpu=4");
  story.Group("1x4");
  story.Decide(0);
  story.Urgent("1x4", {.preempts = false});
  story.Decide(1);
  EXPECT_EQ(story.Evicted(), "");
}

TEST(Preemption, OneGroupIsPreferredToTwoThatAreLower) {
  Preempting story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  story.Group("1x2");
  story.Group("1x2");
  story.Group("1x4", {.priority = 5});
  EXPECT_EQ(story.Decide(0), "3: node0, 1: node1, 2: node1");
  story.Urgent("1x4");
  story.Decide(1);
  EXPECT_EQ(story.Evicted(), "3 until 31 for 4");
}

TEST(Preemption, TwoAreEvictedRatherThanThreeThatAreLower) {
  Preempting story;
  story.Nodes("node0 cpu=12");
  for (int i = 0; i < 3; ++i) story.Group("1x2");
  for (int i = 0; i < 2; ++i) story.Group("1x3", {.priority = 1});
  story.Decide(0);
  story.Urgent("1x6");
  story.Decide(1);
  EXPECT_EQ(story.Evicted(), "5 until 31 for 6, 4 until 31 for 6");
}

TEST(Preemption, ThreeAreEvictedRatherThanManyThatAreLower) {
  Preempting story;
  story.Nodes("node0 cpu=15\nnode1 cpu=30");
  for (int i = 0; i < 15; ++i) story.Group("1x1");
  for (int i = 0; i < 10; ++i) story.Group("1x3", {.priority = 1});
  story.Decide(0);
  const GroupId last = story.Urgent("1x9");
  story.Decide(1);
  EXPECT_EQ(story.decision.evicted.size(), 3U);
  for (const Eviction& eviction : story.decision.evicted)
    EXPECT_GT(eviction.group, 15);
  story.End(story.decision.evicted[0].group);
  story.End(story.decision.evicted[1].group);
  story.End(story.decision.evicted[2].group);
  EXPECT_EQ(story.Decide(2), fmt::format("{}: node1", last));
}

TEST(Preemption, TheLowestGoesFirstAndOfEqualOnesTheLast) {
  Preempting story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4\nnode2 cpu=4");
  story.Group("1x4", {.priority = 1});
  story.Decide(0);
  story.Group("1x4");
  story.Decide(1);
  story.Group("1x4");
  story.Decide(2);
  story.Urgent("1x4");
  story.Decide(3);
  EXPECT_EQ(story.Evicted(), "3 until 33 for 4");
  story.Urgent("1x4");
  story.End(3);
  EXPECT_EQ(story.Decide(4), "4: node2");
  EXPECT_EQ(story.Evicted(), "2 until 34 for 5");
}

TEST(Preemption, AGangGetsAsManyGroupsAsItNeedsAndNoMore) {
  Preempting story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4\nnode2 cpu=4\nnode3 cpu=4");
  for (int i = 0; i < 8; ++i) {
    story.Group("1x2");
    story.Decide(i);
  }
  EXPECT_EQ(story.Decide(9), "");
  story.Urgent("2x4");
  story.Decide(10);
  EXPECT_EQ(story.Evicted(),
            "8 until 40 for 9, 7 until 40 for 9, 6 until 40 for 9, "
            "5 until 40 for 9");
  EXPECT_EQ(story.Reserved(), "9 at 40 on node2 node3");
}

TEST(Preemption, OthersOnOtherNodesAreSpared) {
  Preempting story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  story.Group("1x2", {.priority = 1});
  story.Decide(0);
  story.Group("1x2", {.priority = 1});
  story.Decide(1);
  story.Group("1x2", {.priority = 2});
  story.Decide(2);
  story.Group("1x2", {.priority = 0});  // the first victim, beside 3
  story.Decide(3);
  story.Urgent("1x4");
  story.Decide(10);
  EXPECT_EQ(story.Evicted(), "2 until 40 for 5, 1 until 40 for 5");
}

TEST(Preemption, AVictimGoesWhole) {
  Preempting story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  story.Group("2x4");
  story.Decide(0);
  story.Urgent("1x4");
  story.Group("1x4", {.duration = 10});
  story.Decide(10);
  EXPECT_EQ(story.Evicted(), "1 until 40 for 2");
  // The place beside it fits the group behind.
  EXPECT_EQ(story.Reserved(), "3 at 40 on node1, 2 at 40 on node0");
}

// Its Job would not make that pod again, and the gang would never be whole.
TEST(Preemption, AGangOfWhichAPodHasSucceededIsNotEvicted) {
  Preempting story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  story.Group("2x4");
  story.Decide(0);
  story.schedule.Release(1, Uid(1, 0));
  story.Urgent("2x4");
  EXPECT_EQ(story.Decide(1), "");
  EXPECT_EQ(story.Evicted(), "");
  // Nor if another of its pods is placed again.
  auto again = story.MakeGroup(1, "1x4", {}, 2);
  story.schedule.Add(again);
  story.schedule.Remove(2);
  EXPECT_EQ(story.Decide(2), "1: node0");
  story.schedule.Release(1, Uid(1, 1));
  story.Urgent("2x4");
  EXPECT_EQ(story.Decide(3), "");
  EXPECT_EQ(story.Evicted(), "");
}

TEST(Preemption, NobodyIsEvictedWhereItWouldNotHelp) {
  Preempting story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  story.Group("1x4", {.priority = 20});
  story.Group("1x4");
  EXPECT_EQ(story.Decide(0), "1: node0, 2: node1");
  story.Urgent("2x4");
  story.Decide(1);
  EXPECT_EQ(story.Evicted(), "");
  // Preemption is tried again when the state has changed.
  story.End(1);
  story.Decide(2);
  EXPECT_EQ(story.Evicted(), "2 until 32 for 3");
}

TEST(Preemption, TheEndOfOneThatCouldNotBeEvictedIsNews) {
  Preempting story;
  story.Nodes("node0 cpu=4");
  const auto* request = story.MakeGroup(90, "1x2", {}).members[0].request;
  Held cancelled;
  cancelled.group = 90;
  cancelled.members = {{Uid(90, 0), "node0", request}};
  cancelled.queue = "default";
  cancelled.evictable = false;
  story.schedule.Restore(cancelled);
  story.Group("1x2");
  EXPECT_EQ(story.Decide(0), "1: node0");
  story.Urgent("1x4");
  story.Decide(1);
  EXPECT_EQ(story.Evicted(), "");
  story.End(90);
  story.Decide(2);
  EXPECT_EQ(story.Evicted(), "1 until 32 for 2");
}

TEST(Preemption, NobodyIsEvictedForAGroupThatStartsAsSoonWithoutIt) {
  Preempting story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  story.Group("1x4", {.duration = 40});
  story.Decide(0);
  story.Group("1x4", {.priority = -1});
  story.Decide(0);
  story.Urgent("1x4");
  story.Decide(10);  // group 1 ends as soon as a victim would
  EXPECT_EQ(story.Evicted(), "");
  EXPECT_EQ(story.Reserved(), "3 at 40 on node0");
}

TEST(Preemption, NobodyIsEvictedForAPausedQueueOrWhatCanNeverFit) {
  Preempting story;
  story.Nodes("node0 cpu=4");
  story.Group("1x4");
  story.Decide(0);
  story.Urgent("1x5");
  story.Decide(1);
  EXPECT_EQ(story.Evicted(), "");
  story.urgent.paused = true;
  story.schedule.SetQueue(story.urgent);
  story.Urgent("1x4");
  story.Decide(2);
  EXPECT_EQ(story.Evicted(), "");
  story.urgent.paused = false;
  story.schedule.SetQueue(story.urgent);
  story.Decide(3);
  EXPECT_EQ(story.Evicted(), "1 until 33 for 3");
}

TEST(Preemption, AQueueMayStartToPreemptWhileItsGroupsWait) {
  Preempting story;
  story.urgent.preemption = Preemption::kNever;
  story.schedule.SetQueue(story.urgent);
  story.Nodes("node0 cpu=4");
  story.Group("1x4");
  story.Decide(0);
  story.Urgent("1x4");
  story.Decide(1);
  EXPECT_EQ(story.Evicted(), "");
  story.urgent.preemption = Preemption::kLowerPriority;
  story.schedule.SetQueue(story.urgent);
  story.Decide(2);
  EXPECT_EQ(story.Evicted(), "1 until 32 for 2");
}

TEST(Preemption, OnlyTheFirstOfAQueuePreemptsAndThenTheNext) {
  Preempting story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  story.Group("1x4");
  story.Group("1x4");
  story.Decide(0);
  story.Urgent("1x4");
  story.Urgent("1x4");
  story.Decide(1);
  EXPECT_EQ(story.Evicted(), "2 until 31 for 3");
  story.Decide(2);
  EXPECT_EQ(story.Evicted(), "");
  story.End(2);
  EXPECT_EQ(story.Decide(3), "3: node1");
  EXPECT_EQ(story.Evicted(), "1 until 33 for 4");
}

TEST(Preemption, APromiseBeforeItIsNotBroken) {
  Preempting story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  story.Group("1x4", {.priority = 20, .duration = 35});
  story.Decide(0);
  story.Group("1x4", {.duration = 1'000});
  EXPECT_EQ(story.Decide(0), "2: node1");
  story.Group("2x4", {.priority = 20});
  story.Decide(1);
  EXPECT_EQ(story.Reserved(), "3 at 1000 on node0 node1");
  // In the place of 2 it would delay 3, which would start when 1 ends.
  story.Urgent("1x4");
  story.Decide(2);
  EXPECT_EQ(story.Evicted(), "");
}

TEST(Preemption, NobodyIsEvictedForWhomAnotherBeforeItWouldStart) {
  Preempting story;
  story.Nodes("node0 cpu=4");
  story.Group("1x4");
  story.Decide(0);
  story.Group("1x4", {.priority = 20});  // its queue does not preempt
  story.Urgent("1x4");
  story.Decide(1);
  EXPECT_EQ(story.Evicted(), "");
  EXPECT_TRUE(story.schedule.Remove(2));
  story.Decide(2);
  EXPECT_EQ(story.Evicted(), "1 until 32 for 3");
}

// Otherwise that group would take the place, and one victim after another would
// be evicted in vain.
TEST(Preemption, NobodyIsEvictedIfTheSecondOfAnotherQueueWouldHaveThePlace) {
  for (const auto policy : {QueuePolicy::kEasy, QueuePolicy::kHybrid}) {
    Preempting story;
    QueueSettings normal;
    normal.queue_policy = policy;
    normal.reservation_depth = 1;
    story.schedule.SetQueue(normal);
    story.Nodes("node0 cpu=4\nnode1 cpu=4 zone=b");
    story.Group("1x4", {.priority = 30, .selector = "zone=b"});
    story.Group("1x4");
    story.Decide(0);
    story.Group("1x4", {.priority = 25, .selector = "zone=b"});
    story.Group("1x4", {.priority = 20});
    story.Urgent("1x4");
    story.Decide(1);
    EXPECT_EQ(story.Evicted(), "");
    EXPECT_TRUE(story.schedule.Remove(4));
    story.Decide(2);
    EXPECT_EQ(story.Evicted(), "2 until 32 for 5");
  }
}

TEST(Preemption, NobodyIsEvictedWhoIsGoneOnlyWhenTheGroupIsGivenUp) {
  for (const bool in_time : {false, true}) {
    Preempting story;
    story.Nodes("node0 cpu=4");
    story.Group("1x4");
    story.Decide(0);
    story.Urgent("1x4", {.start_by = in_time ? 32 : 31});
    story.Decide(1);
    EXPECT_EQ(story.Evicted(), in_time ? "1 until 31 for 2" : "");
  }
}

// A group past its assumed end, which may end at any moment, is no reason to
// wait or to evict others in vain.
TEST(Preemption, GroupsThatOutliveWhatIsAssumedAreEvictedAsOthersAre) {
  Preempting story;
  QueueSettings assumes;
  assumes.assumed_duration = 10;
  story.schedule.SetQueue(assumes);
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  story.Group("1x4");
  story.Decide(0);
  story.Group("1x4", {.priority = 20});
  story.Decide(1);
  story.Urgent("1x4");
  story.Decide(20);
  EXPECT_EQ(story.Evicted(), "1 until 50 for 3");
  EXPECT_EQ(story.Reserved(), "3 at 50 on node0");
  story.Urgent("2x4", {.priority = 11});
  story.Decide(25);
  EXPECT_EQ(story.Evicted(), "");
}

TEST(Preemption, WhatIsKeptApartByRulesIsProvenToo) {
  Preempting story;
  story.Nodes("node0 cpu=4 zone=a\nnode1 cpu=4 zone=b");
  GroupOptions alone;
  alone.rules.anti_affinity = {Near("web", "zone")};
  story.Group(
      "1x1",
      {.priority = 20, .selector = "zone=b", .labels = {{"app", "web"}}});
  story.Group("1x4", {.selector = "zone=a"});
  story.Group("1x3", {.priority = -1, .selector = "zone=b"});
  story.Decide(0);
  alone.priority = 10;
  story.Urgent("1x3", alone);
  story.Decide(1);
  EXPECT_EQ(story.Evicted(), "2 until 31 for 4");
}

}  // namespace
}  // namespace fluxnetes::workers
