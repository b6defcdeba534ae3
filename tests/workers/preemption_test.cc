#include "workers/preemption.h"

#include <gtest/gtest.h>

#include "tests/workers/schedule_story.h"

namespace fluxnetes::workers {
namespace {

// Queue "urgent" preempts.
class Preempting : public Story {
 public:
  explicit Preempting(QueuePolicy policy = QueuePolicy::kEasy) {
    urgent.name = "urgent";
    urgent.queue_policy = policy;
    urgent.preemption = Preemption::kLowerPriority;
    schedule.SetQueue(urgent);
  }

  GroupId Urgent(const std::string& pods, GroupOptions options = {}) {
    options.queue = "urgent";
    if (options.priority == 0) options.priority = 10;
    return Group(pods, options);
  }

  // Until all is said that follows from it at this time.
  std::string Decide(matcher::Time now) {
    std::string placed = Story::Decide(now);
    std::vector<Eviction> evicted = decision.evicted;
    while (schedule.More()) {
      const std::string more = Story::Decide(now);
      placed += (placed.empty() || more.empty() ? "" : ", ") + more;
      evicted.insert(evicted.end(), decision.evicted.begin(),
                     decision.evicted.end());
    }
    decision.evicted = std::move(evicted);
    return placed;
  }

  QueueSettings urgent;
};

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
  // Nothing more is evicted while it ends, and nobody takes the place.
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
  EXPECT_EQ(story.Evicted(), "");  // group 2 would be there for longer
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
  story.Group("1x2", {.priority = 0});  // the first to go, beside 3
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
  // Beside it there is room for who waits behind.
  EXPECT_EQ(story.Reserved(), "3 at 40 on node1, 2 at 40 on node0");
}

// Its Job would not make that pod again, and the gang never be whole.
TEST(Preemption, AGangOfWhichAPodHasSucceededIsNotEvicted) {
  Preempting story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  story.Group("2x4");
  story.Decide(0);
  story.schedule.Release(1, Uid(1, 0));
  story.Urgent("2x4");
  EXPECT_EQ(story.Decide(1), "");
  EXPECT_EQ(story.Evicted(), "");
  // Nor if another of its pods gets a place anew.
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
  // It is tried again when the ground has changed.
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
  story.Decide(10);  // 1 ends as soon as 2 would
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
  // In 2's place it would delay 3, which would start as 1 ends.
  story.Urgent("1x4");
  story.Decide(2);
  EXPECT_EQ(story.Evicted(), "");
}

TEST(Preemption, NobodyIsEvictedForWhomAnotherBeforeItWouldStart) {
  Preempting story;
  story.Nodes("node0 cpu=4");
  story.Group("1x4");
  story.Decide(0);
  story.Group("1x4", {.priority = 20});  // of a queue that does not preempt
  story.Urgent("1x4");
  story.Decide(1);
  EXPECT_EQ(story.Evicted(), "");
  EXPECT_TRUE(story.schedule.Remove(2));
  story.Decide(2);
  EXPECT_EQ(story.Evicted(), "1 until 32 for 3");
}

// Else it would take the place, and one after another go for nothing.
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

TEST(Preemption, ARestartNeitherEvictsOthersNorForgets) {
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
    after.schedule.Restore(
        {1, 0, std::nullopt, {{Uid(1, 0), "node0", request}}, "default"});
    after.schedule.Restore({2,
                            0,
                            31,
                            {{Uid(2, 0), "node1", request}},
                            "default",
                            "",
                            "",
                            0,
                            30,
                            false,
                            3});
    after.schedule.Add(
        after.MakeGroup(3, "1x4", {.queue = "urgent", .priority = 10}));
    if (remembered) after.schedule.Promised(before.decision.reserved[0]);
    after.schedule.Add(
        after.MakeGroup(4, "1x4", {.queue = "urgent", .duration = 50}));
    EXPECT_EQ(after.Decide(5), "");
    EXPECT_EQ(after.Evicted(), "");
    EXPECT_EQ(after.Reserved(), remembered ? "" : "3 at 31 on node1");
    EXPECT_EQ(after.Decide(31), "");  // it takes longer
    EXPECT_EQ(after.Evicted(), "");
    EXPECT_EQ(after.Reserved(), "3 drains node1");
    after.End(2);
    EXPECT_EQ(after.Decide(33), "3: node1");
  }
}

TEST(Preemption, PlacesAreKeptThoughAnotherIsFirstInItsQueueNow) {
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

TEST(Preemption, AVictimThatTakesLongerIsWaitedFor) {
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

TEST(Preemption, APreemptorThatGoesLeavesThePlaceToOthers) {
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

TEST(Preemption, OneVictimIsNotTakenForTwo) {
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

TEST(Preemption, IfAHigherGroupTakesThePlaceOthersAreEvicted) {
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

TEST(Preemption, AGroupThatWasEvictedEvictsNobodyHigher) {
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

TEST(Preemption, AFirstComeQueueKeepsThePlaceToo) {
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

TEST(Preemption, AFirstComeQueueKeepsThePlaceWhenAnotherComesBeforeIt) {
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
      // Of another queue, behind both; one of theirs, behind it.
      story.Group("1x1", {.duration = 60});
      story.Urgent("1x1", {.priority = 5, .duration = 10});
      EXPECT_EQ(story.Decide(3), "");
      story.End(1);
      EXPECT_EQ(story.Decide(ended), "3: node1");
    }
  }
}

TEST(Preemption, QueuesThatKeepPromisesPreemptForTheirFirst) {
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

// What is assumed to end at any moment is no reason to wait, nor to evict
// others for nothing.
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

// Accounts a and b, of 4 cpu each, which may borrow from one another; both
// together have `all` if that is not 0.
class TakingBack : public Preempting {
 public:
  explicit TakingBack(std::int64_t all, QueuePolicy policy = QueuePolicy::kEasy,
                      Preemption preemption = Preemption::kReclaim)
      : Preempting(policy) {
    urgent.preemption = preemption;
    schedule.SetQueue(urgent);
    Account both{.name = "both"};
    if (all > 0) both.quota["cpu"] = 1'000 * all;
    const auto part = [](const char* name) {
      return Account{.name = name,
                     .parent = "both",
                     .namespace_name = name,
                     .quota = {{"cpu", 4'000}},
                     .borrows = true};
    };
    schedule.SetAccounts({both, part("a"), part("b")});
  }

  GroupId Of(const char* account, const std::string& pods,
             GroupOptions options = {}) {
    options.queue = "urgent";
    options.namespace_name = account;
    return Group(pods, options);
  }
};

constexpr QueuePolicy kPolicies[] = {QueuePolicy::kFcfs, QueuePolicy::kEasy,
                                     QueuePolicy::kConservative,
                                     QueuePolicy::kHybrid};

TEST(Reclaim, TakesPlacesBackWhereNodesAreFull) {
  for (const QueuePolicy policy : kPolicies) {
    SCOPED_TRACE(ToString(policy));
    TakingBack story(0, policy);
    story.Nodes("node0 cpu=4\nnode1 cpu=4");
    story.Of("a", "1x4");
    story.Decide(0);
    story.Of("a", "1x4");
    EXPECT_EQ(story.Decide(1), "2: node1");
    story.Of("b", "1x4");
    EXPECT_EQ(story.Decide(2), "");
    EXPECT_EQ(story.Evicted(), "2 until 32 for 3");
    EXPECT_EQ(story.Reserved(), "3 at 32 on node1");
    story.End(2);
    EXPECT_EQ(story.Decide(5), "3: node1");
    EXPECT_EQ(story.Evicted(), "");
  }
}

TEST(Reclaim, TakesQuotaBackWhereNodesAreFree) {
  for (const QueuePolicy policy : kPolicies) {
    SCOPED_TRACE(ToString(policy));
    TakingBack story(8, policy);
    story.Nodes("node0 cpu=16");
    story.Of("a", "1x4");
    story.Decide(0);
    story.Of("a", "1x4");
    EXPECT_EQ(story.Decide(1), "2: node0");
    story.Of("b", "1x4");
    EXPECT_EQ(story.Decide(2), "");
    EXPECT_EQ(story.Evicted(), "2 until 32 for 3");
    EXPECT_EQ(story.Reserved(), "3 at 32 on node0");
    // Not before the quota is there, and nobody else is evicted for it.
    EXPECT_EQ(story.Decide(10), "");
    EXPECT_EQ(story.Evicted(), "");
    EXPECT_EQ(story.Reserved(), "");
    story.Of("a", "1x1");
    EXPECT_EQ(story.Decide(11), "");
    story.End(2);
    EXPECT_EQ(story.Decide(12), "3: node0");
    EXPECT_EQ(story.Evicted(), "");
  }
}

TEST(Reclaim, IsWhatTheQueueSaysAndNotPriority) {
  for (const std::int64_t all : {0, 8}) {
    TakingBack story(all, QueuePolicy::kEasy, Preemption::kLowerPriority);
    story.Nodes("node0 cpu=8");
    story.Of("a", "1x4");
    story.Of("a", "1x4");
    story.Decide(0);
    story.Of("b", "1x4");
    story.Decide(1);
    EXPECT_EQ(story.Evicted(), "");
    story.urgent.preemption = Preemption::kBoth;
    story.schedule.SetQueue(story.urgent);
    story.Decide(2);
    EXPECT_EQ(story.Evicted(), "2 until 32 for 3");
  }
}

TEST(Reclaim, TakesNoMoreThanIsNeededFromThoseWhoStartedLast) {
  for (const std::int64_t all : {0, 8}) {
    SCOPED_TRACE(all);
    TakingBack story(all);
    story.Nodes("node0 cpu=8");
    for (int i = 0; i < 8; ++i) {
      story.Of("a", "1x1");
      story.Decide(i);
    }
    story.Of("b", "1x2");
    story.Decide(10);
    EXPECT_EQ(story.Evicted(), "8 until 40 for 9, 7 until 40 for 9");
    story.Of("b", "1x2");
    story.Of("b", "1x2");  // beyond the quota of b
    story.End(7);
    story.End(8);
    EXPECT_EQ(story.Decide(11), "9: node0");
    EXPECT_EQ(story.Evicted(), "6 until 41 for 10, 5 until 41 for 10");
    story.End(5);
    story.End(6);
    EXPECT_EQ(story.Decide(12), "10: node0");
    story.Decide(13);
    EXPECT_EQ(story.Evicted(), "");
  }
}

TEST(Reclaim, SparesWhoIsWithinItsQuota) {
  TakingBack story(6);
  story.Nodes("node0 cpu=16");
  story.Of("a", "1x4");
  story.Decide(0);
  story.Of("b", "1x4");  // 8 of 6
  story.Decide(1);
  EXPECT_EQ(story.Evicted(), "");
  EXPECT_EQ(story.Reserved(), "");
}

TEST(Reclaim, IsNotForThoseWhoWouldBorrow) {
  for (const std::int64_t all : {0, 8}) {
    TakingBack story(all);
    story.Nodes("node0 cpu=8");
    story.Of("a", "1x4");
    story.Of("a", "1x4");
    story.Decide(0);
    story.Of("b", "1x5");
    story.Decide(1);
    EXPECT_EQ(story.Evicted(), "");
  }
}

TEST(Reclaim, SparesHigherPriorityAndTheOwnAccount) {
  for (const std::int64_t all : {0, 8}) {
    TakingBack story(all);
    story.Nodes("node0 cpu=8");
    story.Of("a", "1x4", {.priority = 1});
    story.Of("a", "1x4", {.priority = 1});
    story.Decide(0);
    story.Of("b", "1x4");
    story.Of("a", "1x1");
    story.Decide(1);
    EXPECT_EQ(story.Evicted(), "");
  }
}

TEST(Reclaim, IsNotOfQuotaThatNobodyHasBelowTheSame) {
  TakingBack story(0);
  story.Nodes("node0 cpu=8");
  story.Of("a", "1x4");
  story.Of("a", "1x4");
  story.Decide(0);
  story.Of("c", "1x4");  // of no account, and so without a quota
  story.Decide(1);
  EXPECT_EQ(story.Evicted(), "");
}

TEST(Reclaim, IsNotTurnedRound) {
  for (const std::int64_t all : {0, 8}) {
    SCOPED_TRACE(all);
    TakingBack story(all);
    story.Nodes("node0 cpu=8");
    story.Of("a", "1x4");
    story.Decide(0);
    story.Of("a", "1x4");
    story.Decide(1);
    story.Of("b", "1x4");
    story.Decide(2);
    EXPECT_EQ(story.Evicted(), "2 until 32 for 3");
    story.End(2);
    story.Of("a", "1x4");  // again
    EXPECT_EQ(story.Decide(3), "3: node0");
    story.Decide(4);
    EXPECT_EQ(story.Evicted(), "");
    story.End(1);
    EXPECT_EQ(story.Decide(5), "4: node0");
    EXPECT_EQ(story.Evicted(), "");
  }
}

TEST(Reclaim, WaitsForVictimsThatTakeLonger) {
  for (const QueuePolicy policy : kPolicies) {
    SCOPED_TRACE(ToString(policy));
    TakingBack story(8, policy);
    story.Nodes("node0 cpu=16");
    story.Of("a", "1x4");
    story.Of("a", "1x4");
    story.Decide(0);
    story.Of("b", "1x4");
    story.Decide(1);
    EXPECT_EQ(story.Evicted(), "2 until 31 for 3");
    for (matcher::Time now = 30; now < 40; ++now) {
      EXPECT_EQ(story.Decide(now), "");
      EXPECT_EQ(story.Evicted(), "");
    }
    story.End(2);
    EXPECT_EQ(story.Decide(50), "3: node0");
  }
}

TEST(Reclaim, EvictsNobodyWhereQuotaComesFreeAsSoon) {
  TakingBack story(8);
  story.Nodes("node0 cpu=16");
  story.Of("a", "1x4", {.duration = 20});
  story.Of("a", "1x4");
  story.Decide(0);
  story.Of("b", "1x4");
  story.Decide(1);
  EXPECT_EQ(story.Evicted(), "");
  story.End(1);
  EXPECT_EQ(story.Decide(20), "3: node0");
}

TEST(Reclaim, KnowsOverARestartWhoLeaves) {
  TakingBack story(8);
  story.Nodes("node0 cpu=16");
  const auto* request =
      story.MakeGroup(9, "1x4", {.namespace_name = "a"}).members[0].request;
  story.schedule.Restore(
      {1, 0, std::nullopt, {{Uid(1, 0), "node0", request}}, "urgent", "a"});
  story.schedule.Restore({2,
                          0,
                          31,
                          {{Uid(2, 0), "node0", request}},
                          "urgent",
                          "a",
                          "",
                          0,
                          30,
                          false,
                          3});
  story.schedule.Add(
      story.MakeGroup(3, "1x4", {.queue = "urgent", .namespace_name = "b"}));
  EXPECT_EQ(story.Decide(5), "");
  EXPECT_EQ(story.Evicted(), "");
  EXPECT_EQ(story.Reserved(), "3 at 31 on node0");
  story.End(2);
  EXPECT_EQ(story.Decide(6), "3: node0");
}

// It waits for quota, not for room.
TEST(Preemption, WhoHasNoQuotaEvictsNobodyForRoom) {
  for (const auto preemption :
       {Preemption::kLowerPriority, Preemption::kReclaim, Preemption::kBoth}) {
    TakingBack story(8, QueuePolicy::kEasy, preemption);
    story.schedule.SetAccounts(
        {{.name = "b", .namespace_name = "b", .quota = {{"cpu", 4'000}}}});
    story.Nodes("node0 cpu=4\nnode1 cpu=4");
    story.Of("b", "1x4", {.priority = 10});
    story.Of("c", "1x4");
    story.Decide(0);
    story.Of("b", "1x4", {.priority = 10});
    story.Decide(1);
    EXPECT_EQ(story.Evicted(), "");
    EXPECT_EQ(story.Reserved(), "");
    story.End(1);
    EXPECT_EQ(story.Decide(2), "3: node0");
  }
}

}  // namespace
}  // namespace fluxnetes::workers
