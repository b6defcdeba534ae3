#include "workers/schedule/schedule.h"

#include <gtest/gtest.h>

#include "cluster/json/request_json.h"
#include "tests/workers/support/schedule_story.h"

namespace fluxnetes::workers {
namespace {

TEST(Schedule, GangIsPlacedWholeOrNotAtAll) {
  Story story;
  story.Nodes("node0 cpu=4\nnode1 cpu=2");
  story.Group("3x2");
  story.Group("1x2");
  EXPECT_EQ(story.Decide(0), "1: node0 node0 node1");
  EXPECT_EQ(story.schedule.pending(), 1U);
}

TEST(Schedule, PlacementCarriesWhatItWasMadeFor) {
  Story story;
  story.Nodes("node0 cpu=4");
  story.Group("1x2", {.duration = 60, .revision = 7});
  story.Decide(10);
  ASSERT_EQ(story.decision.placed.size(), 1U);
  const Placed& placed = story.decision.placed[0];
  EXPECT_EQ(placed.revision, 7);
  EXPECT_EQ(placed.job_id, 1'001);
  EXPECT_EQ(placed.queue, "default");
  EXPECT_EQ(placed.start, 10);
  EXPECT_EQ(placed.end, 70);
  EXPECT_EQ(placed.members[0].uid, Uid(1, 0));
  EXPECT_EQ(story.schedule.NodeOf(Uid(1, 0)), "node0");
}

TEST(Schedule, DurationBeyondAllTimeIsWithoutEnd) {
  Story story;
  story.Nodes("node0 cpu=4");
  story.Group("1x2", {.duration = matcher::kForever - 1});
  EXPECT_EQ(story.Decide(10), "1: node0");
  EXPECT_EQ(story.decision.placed[0].end, std::nullopt);
}

TEST(Schedule, FirstInLineThenPriorityThenAgeDecide) {
  Story story;
  story.Group("1x1");
  story.Group("1x1", {.priority = 5});
  story.Group("1x1", {.first_in_line = true});
  story.Group("1x1", {.priority = 5});
  story.Nodes("node0 cpu=4");
  EXPECT_EQ(story.Decide(0), "3: node0, 2: node0, 4: node0, 1: node0");
}

TEST(Schedule, MembersOfSeveralShapesGetTheirOwnNodes) {
  Story story;
  story.Nodes("node0 cpu=1\nnode1 cpu=4\nnode2 cpu=1");
  story.Group("2x1+1x4");
  EXPECT_EQ(story.Decide(0), "1: node1 node0 node2");
  EXPECT_EQ(story.schedule.NodeOf(Uid(1, 2)), "node1");
  EXPECT_EQ(story.schedule.NodeOf(Uid(1, 0)), "node0");
}

TEST(Schedule, NodesAreOrderedByTheNumberInTheirName) {
  Story story;
  story.Nodes("node10 cpu=1\nnode9 cpu=1");
  story.Group("2x1");
  EXPECT_EQ(story.Decide(0), "1: node9 node10");
}

QueueSettings PlacedBy(const matcher::Policy& policy) {
  QueueSettings settings;
  settings.match_policy = policy;
  return settings;
}

TEST(Schedule, LowSpreadsPodsAndHighFillsWhatIsMostFree) {
  Story story;
  story.Nodes("node0 cpu=4\nnode1 cpu=6\nnode2 cpu=4");
  story.schedule.SetQueue(PlacedBy(matcher::Policy::kLow));
  story.Group("4x1");
  EXPECT_EQ(story.Decide(0), "1: node0 node1 node2 node0");
  story.schedule.SetQueue(PlacedBy(matcher::Policy::kHigh));
  story.Group("3x1");
  EXPECT_EQ(story.Decide(1), "2: node1 node1 node2");
}

TEST(Schedule, VariationReadsTheLabelOfNodes) {
  Story story;
  story.Nodes(
      "node0 cpu=1\nnode1 cpu=2 fluxnetes.perf-class=7\n"
      "node2 cpu=2 fluxnetes.perf-class=3\nnode3 cpu=1 "
      "fluxnetes.perf-class=10000");
  story.schedule.SetQueue(PlacedBy(matcher::Policy::kVariation));
  story.Group("6x1");
  EXPECT_EQ(story.Decide(0), "1: node2 node2 node1 node1 node0 node3");
  story.End(1);
  story.Nodes("node0 cpu=1 fluxnetes.perf-class=0");
  story.Group("1x1");
  EXPECT_EQ(story.Decide(1), "2: node0");
}

TEST(Schedule, NodexKeepsOtherGroupsOff) {
  Story story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4\nnode2 cpu=4");
  QueueSettings whole = PlacedBy(matcher::Policy::kHinodex);
  whole.name = "whole";
  story.schedule.SetQueue(whole);
  story.Group("2x1", {.queue = "whole"});
  EXPECT_EQ(story.Decide(0), "1: node2 node2");
  story.Group("3x3");
  EXPECT_EQ(story.Decide(1), "");
  story.End(1);
  EXPECT_EQ(story.Decide(2), "2: node0 node1 node2");
  story.Group("1x1", {.queue = "whole"});
  EXPECT_EQ(story.Decide(3), "");
}

// The first group needs whole nodes, of which there is none; the second asks
// for as much, but may be beside others.
TEST(Schedule, WhatFitsOnNoWholeNodeMayFitBesideOthers) {
  Story story;
  story.Nodes("node0 cpu=4");
  story.Group("1x1", {.duration = 100});
  story.Decide(0);
  QueueSettings whole = PlacedBy(matcher::Policy::kLonodex);
  whole.name = "whole";
  story.schedule.SetQueue(whole);
  story.Group("1x1", {.queue = "whole", .priority = 5, .duration = 60});
  story.Group("1x1", {.duration = 60});
  EXPECT_EQ(story.Decide(1), "3: node0");
}

TEST(Schedule, WhereNothingHappenedNothingIsDecided) {
  Story story;
  story.Nodes("node0 cpu=1");
  story.Group("1x1");
  story.Group("1x1");
  story.Decide(0);
  EXPECT_FALSE(story.decision.Empty());
  story.Decide(1);
  EXPECT_TRUE(story.decision.Empty());
}

TEST(Schedule, FcfsStopsItsQueueAtTheFirstThatDoesNotFit) {
  Story story;
  story.schedule.SetQueue({.queue_policy = QueuePolicy::kFcfs});
  story.schedule.SetQueue({.name = "other"});
  story.Nodes("node0 cpu=4");
  story.Group("1x3");
  story.Group("1x2");
  story.Group("1x1");
  story.Group("1x1", {.queue = "other"});
  EXPECT_EQ(story.Decide(0), "1: node0, 4: node0");
  EXPECT_TRUE(story.decision.reserved.empty());
  story.End(1);
  EXPECT_EQ(story.Decide(1), "2: node0, 3: node0");
}

TEST(Schedule, PausedQueueStartsNothingAndReservesNothing) {
  Story story;
  story.Nodes("node0 cpu=4");
  story.Group("1x3", {.duration = 100});
  story.Group("1x4");
  story.Decide(0);
  story.schedule.SetQueue({.paused = true});
  EXPECT_EQ(story.Decide(1), "");
  EXPECT_EQ(story.decision.unreserved, std::vector<GroupId>{2});
  EXPECT_EQ(story.OnlyReason(), "queue default is paused");
  story.End(1);
  EXPECT_EQ(story.Decide(2), "");
  story.schedule.SetQueue({});
  EXPECT_EQ(story.Decide(3), "2: node0");
}

TEST(Schedule, QueueDepthLimitsHowManyShapesAreLookedAt) {
  Story story;
  story.schedule.SetQueue({.queue_depth = 2});
  story.Nodes("node0 cpu=4");
  story.Group("1x2", {.duration = 10});
  story.Group("1x4");
  story.Group("1x3");
  story.Group("1x3");
  story.Group("1x1", {.duration = 5});
  EXPECT_EQ(story.Decide(0), "1: node0");
  story.schedule.SetQueue({.queue_depth = 3});
  EXPECT_EQ(story.Decide(0), "5: node0");
}

TEST(Schedule, QueueUsesTheNodesOfItsSelectorOnly) {
  Story story;
  story.schedule.SetQueue({.name = "a", .node_selector = {{"zone", "a"}}});
  story.Nodes("node0 cpu=4 zone=b\nnode1 cpu=4 zone=a");
  story.Group("1x1", {.queue = "a"});
  EXPECT_EQ(story.Decide(0), "1: node1");
  story.schedule.SetQueue({.name = "a", .node_selector = {{"zone", "b"}}});
  story.Group("1x1", {.queue = "a"});
  EXPECT_EQ(story.Decide(0), "2: node0");
}

TEST(Schedule, GroupOfAnUnknownQueueWaitsForIt) {
  Story story;
  story.Nodes("node0 cpu=4");
  story.Group("1x1", {.queue = "later"});
  EXPECT_EQ(story.Decide(0), "");
  EXPECT_EQ(story.OnlyReason(), "there is no queue later");
  story.schedule.SetQueue({.name = "later"});
  EXPECT_EQ(story.Decide(1), "1: node0");
  EXPECT_EQ(story.OnlyReason(), "");
}

TEST(Schedule, NodeThatChangesIsLookedAtAgain) {
  Story story;
  story.Nodes("node0 cpu=4 cordoned=1 zone=b\nnode1 cpu=1 zone=a");
  story.Group("1x1", {.selector = "zone=a"});
  story.Group("1x1", {.selector = "zone=a"});
  EXPECT_EQ(story.Decide(0), "1: node1");
  story.Nodes("node0 cpu=4 cordoned=1 zone=a");
  EXPECT_EQ(story.Decide(1), "");
  story.Nodes("node0 cpu=4 zone=a");
  EXPECT_EQ(story.Decide(2), "2: node0");
}

TEST(Schedule, WhatOthersUseIsNotGiven) {
  Story story;
  story.Nodes("node0 cpu=4");
  cluster::Resources used;
  used.cpu_milli = 3'000;
  story.schedule.SetUnmanaged("node0", used);
  story.Group("1x1");
  story.Group("1x1");
  EXPECT_EQ(story.Decide(0), "1: node0");
  used.cpu_milli = 2'000;
  story.schedule.SetUnmanaged("node0", used);
  EXPECT_EQ(story.Decide(1), "2: node0");
}

TEST(Schedule, WhatAPodHasGrownByIsItsOwnUntilItLeaves) {
  Story story;
  story.Nodes("node0 cpu=4");
  story.Group("1x1", {.duration = 100});
  EXPECT_EQ(story.Decide(0), "1: node0");
  cluster::Resources more;
  more.cpu_milli = 3'000;
  story.schedule.SetGrown("node0", {{Uid(1, 0), more}});
  story.Group("1x2");
  EXPECT_EQ(story.Decide(1), "");
  EXPECT_TRUE(story.decision.verdicts.empty());  // not unsatisfiable
  EXPECT_EQ(story.Reserved(), "2 at 100 on node0");
  story.schedule.SetGrown("node0", {});  // it has shrunk again
  EXPECT_EQ(story.Decide(2), "2: node0");

  more.cpu_milli = 1'000;
  story.schedule.SetGrown("node0", {{Uid(1, 0), more}});
  story.Group("1x2");
  EXPECT_EQ(story.Decide(3), "");
  story.End(1);
  EXPECT_EQ(story.Decide(4), "3: node0");
}

TEST(Schedule, PlacesAreGivenBackPodByPod) {
  Story story;
  story.Nodes("node0 cpu=4");
  story.Group("2x2");
  story.Group("1x2");
  story.Decide(0);
  EXPECT_FALSE(story.schedule.Release(1, "unknown"));
  EXPECT_FALSE(story.schedule.Release(2, Uid(1, 0)));
  EXPECT_TRUE(story.schedule.Release(1, Uid(1, 0)));
  EXPECT_FALSE(story.schedule.Release(1, Uid(1, 0)));
  EXPECT_EQ(story.schedule.NodeOf(Uid(1, 0)), std::nullopt);
  EXPECT_EQ(story.schedule.NodeOf(Uid(1, 1)), "node0");
  EXPECT_EQ(story.Decide(1), "2: node0");
}

TEST(Schedule, UndonePlacementGivesItsPlacesBack) {
  Story story;
  story.Nodes("node0 cpu=4");
  story.Group("1x4");
  story.Group("1x4");
  EXPECT_EQ(story.Decide(0), "1: node0");
  story.schedule.Undo(story.decision.placed[0]);
  EXPECT_EQ(story.Decide(0), "2: node0");
}

TEST(Schedule, GroupIsPlacedAroundWhatItHoldsAlready) {
  Story story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  const PendingGroup whole = story.MakeGroup(7, "2x3", {});
  Held held = HeldOn("node0", 7, {}, whole.members[0].request);
  held.start = 5;
  held.end = 50;
  story.schedule.Restore(held);
  story.schedule.Add(story.MakeGroup(7, "1x3", {.duration = 45}, 1));
  EXPECT_EQ(story.Decide(10), "7: node1");
  const Placed placed = story.decision.placed[0];
  EXPECT_EQ(placed.start, 5);
  EXPECT_EQ(placed.end, 50);
  story.schedule.Undo(placed);
  EXPECT_EQ(story.schedule.NodeOf(Uid(7, 0)), "node0");
  EXPECT_EQ(story.schedule.NodeOf(Uid(7, 1)), std::nullopt);
}

TEST(Schedule, ChangedGroupIsPlacedAsItIsNow) {
  Story story;
  story.Nodes("node0 cpu=4");
  story.Group("1x8");
  story.Decide(0);
  story.schedule.Add(story.MakeGroup(1, "1x4", {.revision = 2}));
  EXPECT_EQ(story.Decide(1), "1: node0");
  EXPECT_EQ(story.decision.placed[0].revision, 2);
  EXPECT_EQ(story.schedule.pending(), 0U);
  EXPECT_EQ(story.schedule.shapes(), 0U);
}

TEST(Schedule, LimitCutsACycleAndMoreSaysSo) {
  Story story;
  story.Nodes("node0 cpu=10");
  for (int i = 0; i < 5; ++i) story.Group("1x1");
  EXPECT_EQ(story.schedule.Decide(0, 2).placed.size(), 2U);
  EXPECT_TRUE(story.schedule.More());
  EXPECT_EQ(story.schedule.Decide(0, 2).placed.size(), 2U);
  EXPECT_EQ(story.schedule.Decide(0, 2).placed.size(), 1U);
  EXPECT_FALSE(story.schedule.More());
}

TEST(Schedule, RebuiltFromWhatIsHeldItIsTheSame) {
  Story story;
  story.schedule.SetQueue({.assumed_duration = 100});
  story.Nodes("b cpu=4\na cpu=4\nnode3 cpu=4");
  story.Group("3x2", {.duration = 10});
  story.Group("1x3");
  story.Group("3x4");
  story.Decide(1);
  ASSERT_EQ(story.decision.placed.size(), 2U);
  ASSERT_EQ(story.decision.reserved.size(), 1U);
  story.schedule.Release(1, Uid(1, 1));

  Story rebuilt;
  for (const Placed& placed : story.decision.placed) {
    Held held;
    held.queue = placed.queue;
    held.group = placed.group;
    held.start = placed.start;
    held.end = placed.end;
    for (const PlacedMember& member : placed.members) {
      if (member.uid == Uid(1, 1)) continue;
      held.members.push_back(
          {member.uid, member.node,
           rebuilt.schedule.Intern(cluster::ToJson(*member.request))});
    }
    rebuilt.schedule.Restore(held);
  }
  EXPECT_NE(rebuilt.schedule.Describe(), story.schedule.Describe());
  rebuilt.Nodes("node3 cpu=4\na cpu=4\nb cpu=4");
  rebuilt.schedule.SetQueue({.assumed_duration = 100});
  EXPECT_EQ(rebuilt.schedule.Describe(), story.schedule.Describe());
  EXPECT_EQ(story.schedule.NextDue(), 101);
}

TEST(Schedule, NodeThatComesBackStillHoldsWhatIsOnIt) {
  Story story;
  story.Nodes("node0 cpu=4");
  story.Group("1x3");
  story.Decide(0);
  story.schedule.RemoveNode("node0");
  EXPECT_EQ(story.schedule.NodeOf(Uid(1, 0)), "node0");
  story.Group("1x2");
  EXPECT_EQ(story.Decide(1), "");
  story.Nodes("node0 cpu=4");
  EXPECT_EQ(story.Decide(2), "");
  story.End(1);
  EXPECT_EQ(story.Decide(3), "2: node0");
}

TEST(Schedule, GroupsOfSeveralQueuesGoInOneOrder) {
  Story story;
  story.schedule.SetQueue({.name = "a"});
  story.schedule.SetQueue({.name = "z"});
  story.Nodes("node0 cpu=3");
  story.Group("1x1", {.queue = "z"});
  story.Group("1x1", {.queue = "a"});
  story.Group("1x1", {.queue = "z", .priority = 1});
  EXPECT_EQ(story.Decide(0), "3: node0, 1: node0, 2: node0");
}

}  // namespace
}  // namespace fluxnetes::workers
