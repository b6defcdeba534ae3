// Groups that have their nodes for themselves, through a Schedule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>

#include "tests/workers/support/schedule_story.h"

namespace fluxnetes::workers {
namespace {

using ::testing::HasSubstr;

GroupOptions WholeNodes(std::optional<std::int64_t> duration = std::nullopt) {
  GroupOptions options;
  options.rules.topology.whole_nodes = true;
  options.duration = duration;
  return options;
}

cluster::Resources Some() {
  cluster::Resources some;
  some.cpu_milli = 100;
  return some;
}

GroupOptions Lasting(std::int64_t duration) {
  GroupOptions options;
  options.duration = duration;
  return options;
}

TEST(ScheduleWholeNodes, NothingElseGoesWhereTheGroupIs) {
  Story story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  story.Group("2x1", WholeNodes());
  story.Group("4x1");
  story.Group("1x1");
  EXPECT_EQ(story.Decide(0), "1: node0 node0, 2: node1 node1 node1 node1");
  EXPECT_THAT(story.OnlyReason(),
              HasSubstr("no place is free; 1 node is held whole by a group, 1 "
                        "has too little cpu free"));
  story.End(1);
  EXPECT_EQ(story.Decide(1), "3: node0");
}

TEST(ScheduleWholeNodes, GroupWaitsForNodesWithoutOthers) {
  Story story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  story.Group("1x1");
  EXPECT_EQ(story.Decide(0), "1: node0");
  story.Group("2x3", WholeNodes());
  EXPECT_EQ(story.Decide(1), "");
  EXPECT_THAT(story.OnlyReason(),
              HasSubstr("1 of 2 places are free now; 1 node is not free of "
                        "others"));
  story.End(1);
  EXPECT_EQ(story.Decide(2), "2: node0 node1");
}

TEST(ScheduleWholeNodes, ReservedNodesAreKeptFreeOfWhatWouldStay) {
  Story story;
  story.Nodes("node0 cpu=4");
  story.Group("1x1", Lasting(100));
  EXPECT_EQ(story.Decide(0), "1: node0");
  story.Group("1x1", WholeNodes(50));
  story.Group("1x1", Lasting(101));
  story.Group("1x1", Lasting(90));
  // There is room beside the first group, and beside the second by amounts.
  EXPECT_EQ(story.Decide(1), "4: node0");
  EXPECT_EQ(story.Reserved(), "2 at 100 on node0");
  story.End(4);
  EXPECT_EQ(story.Decide(50), "");
  story.End(1);
  EXPECT_EQ(story.Decide(60), "2: node0");
}

TEST(ScheduleWholeNodes, QueueMayGiveAllItsGroupsWholeNodes) {
  Story story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4\nnode2 cpu=4");
  story.Group("1x1");
  EXPECT_EQ(story.Decide(0), "1: node0");
  QueueSettings queue;
  queue.whole_nodes = true;
  story.schedule.SetQueue(queue);
  story.Group("1x1");
  story.Group("1x1");
  // What holds nodes already stays as it was placed.
  EXPECT_EQ(story.Decide(1), "2: node1, 3: node2");
  queue.whole_nodes = false;
  story.schedule.SetQueue(queue);
  story.Group("4x1");
  EXPECT_EQ(story.Decide(2), "");
  story.End(2);
  EXPECT_EQ(story.Decide(3), "4: node0 node0 node0 node1");
}

TEST(ScheduleWholeNodes, ReplacementGoesToTheNodesOfItsGroup) {
  Story story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  const PendingGroup group = story.MakeGroup(1, "4x2", WholeNodes());
  story.schedule.Add(group);
  EXPECT_EQ(story.Decide(0), "1: node0 node0 node1 node1");
  story.schedule.Release(1, Uid(1, 3));
  story.Group("1x1");
  EXPECT_EQ(story.Decide(1), "");
  PendingGroup again = story.MakeGroup(1, "1x2", WholeNodes(), 9);
  story.schedule.Add(again);
  EXPECT_EQ(story.Decide(2), "1: node1");
}

TEST(ScheduleWholeNodes, ElasticGroupGrowsOnItsOwnNodes) {
  Story story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4\nnode2 cpu=4");
  story.Group("2x2", WholeNodes());
  story.Group("1x1");
  EXPECT_EQ(story.Decide(0), "1: node0 node0, 2: node1");
  GroupOptions grown = WholeNodes();
  grown.growth = true;
  grown.extends = 1;
  story.Group("1x2", grown);
  story.Group("1x2", grown);
  story.Group("1x2", grown);
  // None goes to the node of another group.
  EXPECT_EQ(story.Decide(1), "3: node2");
  EXPECT_EQ(story.Decide(1), "4: node2");
  EXPECT_EQ(story.Decide(1), "");
  story.End(1);
  EXPECT_EQ(story.Decide(2), "5: node0");
}

TEST(ScheduleWholeNodes, EvictionEmptiesTheNode) {
  Story story;
  QueueSettings queue;
  queue.preemption = Preemption::kLowerPriority;
  story.schedule.SetQueue(queue);
  story.Nodes("node0 cpu=4");
  story.Group("1x1");
  EXPECT_EQ(story.Decide(0), "1: node0");
  GroupOptions high = WholeNodes();
  high.priority = 5;
  story.Group("1x1", high);
  EXPECT_EQ(story.Decide(1), "");
  EXPECT_EQ(story.Evicted(), "1 until 31 for 2");
  story.End(1);
  EXPECT_EQ(story.Decide(20), "2: node0");
  // And the other way round.
  GroupOptions higher;
  higher.priority = 6;
  story.Group("1x1", higher);
  EXPECT_EQ(story.Decide(21), "");
  EXPECT_EQ(story.Evicted(), "2 until 51 for 3");
}

TEST(ScheduleWholeNodes, OthersOnTheNodeCount) {
  Story story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  story.schedule.SetUnmanaged("node0", Some(), {}, 1);
  story.schedule.SetUnmanaged("node1", Some(), {}, 0);
  story.Group("1x1", WholeNodes());
  story.Group("1x1", WholeNodes());
  EXPECT_EQ(story.Decide(0), "1: node1");
  story.schedule.SetUnmanaged("node0", {}, {}, 0);
  EXPECT_EQ(story.Decide(1), "2: node0");
}

TEST(ScheduleWholeNodes, PodOfADaemonSetIsPlacedBesideAnyGroup) {
  Story story;
  story.Nodes("node0 cpu=4");
  GroupOptions daemon;
  daemon.rules.topology.aside = true;
  story.Group("1x1", daemon);
  EXPECT_EQ(story.Decide(0), "1: node0");
  story.Group("1x1", WholeNodes());
  EXPECT_EQ(story.Decide(1), "2: node0");
  story.Group("1x1", daemon);
  EXPECT_EQ(story.Decide(2), "3: node0");
}

TEST(ScheduleWholeNodes, ThatCanNeverBeAreReported) {
  Story story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  story.schedule.SetUnmanaged("node0", Some(), {}, 1);
  story.Group("2x3", WholeNodes());
  EXPECT_EQ(story.Decide(0), "");
  ASSERT_EQ(story.decision.verdicts.size(), 1u);
  EXPECT_THAT(story.decision.verdicts[0].reason,
              HasSubstr("all nodes that it may use, empty of other pods, hold "
                        "1 × (3 cpu, 1Gi)"));
}

// Over many random groups, a node that a group has for itself has no other.
TEST(ScheduleWholeNodes, AreNeverShared) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](int least, int most) {
      return std::uniform_int_distribution<int>(least, most)(random);
    };
    Story story;
    QueueSettings queue;
    queue.queue_policy = static_cast<QueuePolicy>(seed % 4);
    story.schedule.SetQueue(queue);
    std::string nodes;
    for (int i = 0; i < 8; ++i)
      nodes += "node" + std::to_string(i) + " cpu=8\n";
    story.Nodes(nodes);
    std::map<GroupId, std::pair<std::int64_t, std::set<std::string>>> running;
    std::set<GroupId> whole;
    int placed = 0;
    for (matcher::Time now = 0; now < 400; ++now) {
      std::erase_if(running, [&](const auto& each) {
        if (each.second.first > now) return false;
        story.End(each.first);
        return true;
      });
      if (pick(0, 2) == 0) {
        const bool alone = pick(0, 2) == 0;
        GroupOptions options = alone ? WholeNodes() : GroupOptions();
        options.duration = pick(1, 40);
        const GroupId group = story.Group(
            std::to_string(pick(1, 6)) + "x" + std::to_string(pick(1, 5)),
            options);
        if (alone) whole.insert(group);
      }
      do {
        story.Decide(now);
        for (const Placed& each : story.decision.placed) {
          ++placed;
          auto& [end, on] = running[each.group];
          end = *each.end;
          for (const PlacedMember& member : each.members)
            on.insert(member.node);
        }
      } while (story.schedule.More());
      for (const auto& [group, of] : running) {
        for (const auto& [other, there] : running) {
          if (group == other || !whole.contains(group)) continue;
          for (const std::string& node : there.second)
            ASSERT_FALSE(of.second.contains(node))
                << "seed " << seed << ", at " << now << ": " << group << " and "
                << other << " on " << node;
        }
      }
    }
    EXPECT_GT(placed, 50);
  }
}

}  // namespace
}  // namespace fluxnetes::workers
