// Groups that need of pools of the whole cluster, through a Schedule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "tests/workers/support/preempting_story.h"
#include "tests/workers/support/schedule_story.h"

namespace fluxnetes::workers {
namespace {

using ::testing::HasSubstr;

GroupOptions Taking(cluster::PoolAmounts pools,
                    std::optional<std::int64_t> duration = std::nullopt) {
  GroupOptions options;
  options.rules.topology.pools = std::move(pools);
  options.duration = duration;
  return options;
}

GroupOptions Licences(std::int64_t amount,
                      std::optional<std::int64_t> duration = std::nullopt) {
  return Taking({{"matlab", amount}}, duration);
}

std::string Unsatisfiable(const Decision& decision) {
  std::string text;
  for (const Verdict& verdict : decision.verdicts)
    text += std::to_string(verdict.group) + ": " +
            (verdict.unsatisfiable ? verdict.reason : "can again");
  return text;
}

TEST(SchedulePools, GroupTakesOnceForAllItsPodsAndHoldsUntilItsEnd) {
  Story story;
  story.Nodes("node0 cpu=9");
  story.schedule.SetPools({{"matlab", 10}});
  story.Group("3x1", Licences(8));
  EXPECT_EQ(story.Decide(0), "1: node0 node0 node0");
  EXPECT_EQ(story.decision.placed.at(0).pools,
            (cluster::PoolAmounts{{"matlab", 8}}));
  story.Group("1x1", Licences(3));
  story.Group("1x1");
  EXPECT_EQ(story.Decide(1), "3: node0");
  EXPECT_THAT(story.OnlyReason(),
              HasSubstr("3 of pool matlab; 2 of 10 of pool matlab are free, it "
                        "needs 3"));
  story.schedule.Release(1, Uid(1, 0));
  story.schedule.Release(1, Uid(1, 1));
  EXPECT_EQ(story.Decide(2), "");
  story.schedule.Release(1, Uid(1, 2));
  EXPECT_EQ(story.Decide(3), "2: node0");
}

TEST(SchedulePools, PoolThatIsMissingOrTooSmallMakesTheGroupUnsatisfiable) {
  Story story;
  story.Nodes("node0 cpu=9");
  story.Group("1x1", Licences(3));
  story.Decide(0);
  EXPECT_THAT(Unsatisfiable(story.decision),
              HasSubstr("there is no pool matlab"));
  story.schedule.SetPools({{"matlab", 2}});
  story.Decide(1);
  story.Group("1x1", Licences(4));
  EXPECT_EQ(story.Decide(2), "");
  EXPECT_THAT(Unsatisfiable(story.decision),
              HasSubstr("pool matlab has 2 in all"));
  story.schedule.SetPools({{"matlab", 3}});
  EXPECT_EQ(story.Decide(3), "1: node0");
  EXPECT_EQ(Unsatisfiable(story.decision), "1: can again");
  story.schedule.SetPools({});
  story.Group("1x1", Licences(1));
  EXPECT_EQ(story.Decide(4), "");
  EXPECT_THAT(Unsatisfiable(story.decision),
              HasSubstr("there is no pool matlab"));
}

TEST(SchedulePools, OthersRunAheadOnlyWhereTheyLeaveThePoolToAReservation) {
  Story story;
  story.Nodes("node0 cpu=9");
  story.schedule.SetPools({{"matlab", 3}});
  story.Group("1x1", Licences(2, 100));
  EXPECT_EQ(story.Decide(0), "1: node0");
  story.Group("1x1", Licences(3, 100));
  story.Group("1x1", Licences(1, 500));
  story.Group("1x2", Licences(1, 90));
  story.Group("1x1");
  EXPECT_EQ(story.Decide(10), "4: node0, 5: node0");
  EXPECT_EQ(story.Reserved(), "2 at 100 on node0");
  story.End(1);
  story.End(4);
  EXPECT_EQ(story.Decide(100), "2: node0");
  story.End(2);
  EXPECT_EQ(story.Decide(150), "3: node0");
}

TEST(SchedulePools, WithoutAKnownEndThePoolAloneIsKept) {
  Story story;
  story.Nodes("node0 cpu=2\nnode1 cpu=2");
  story.schedule.SetPools({{"matlab", 3}, {"disk", 1}});
  story.Group("1x1", Licences(2));
  EXPECT_EQ(story.Decide(0), "1: node0");
  story.Group("1x2", Licences(2));
  story.Group("1x1", Licences(1));
  story.Group("1x1");
  story.Group("1x1", Taking({{"disk", 1}}));
  EXPECT_EQ(story.Decide(1), "4: node0, 5: node1");
  EXPECT_EQ(story.Reserved(), "2 drains");
  story.End(5);
  story.End(1);
  EXPECT_EQ(story.Decide(2), "2: node1, 3: node0");
}

TEST(SchedulePools, DrainSetHoldsThePoolToo) {
  Story story;
  story.Nodes("node0 cpu=2");
  story.schedule.SetPools({{"matlab", 3}});
  story.Group("1x1", Licences(1));
  story.Group("1x1");
  EXPECT_EQ(story.Decide(0), "1: node0, 2: node0");
  story.Group("1x2", Licences(3));
  story.Group("1x1", Licences(1));
  EXPECT_EQ(story.Decide(1), "");
  EXPECT_EQ(story.Reserved(), "3 drains node0");
  story.End(2);
  EXPECT_EQ(story.Decide(2), "");
  story.End(1);
  EXPECT_EQ(story.Decide(3), "3: node0");
}

TEST(SchedulePools, PoolStaysKeptAfterAGroupAheadHasTakenOfIt) {
  Story story;
  story.Nodes("node0 cpu=9");
  story.schedule.SetPools({{"matlab", 4}});
  story.Group("1x1", Licences(2));
  EXPECT_EQ(story.Decide(0), "1: node0");
  story.Group("1x1", Licences(3));
  EXPECT_EQ(story.Decide(1), "");
  EXPECT_EQ(story.Reserved(), "2 drains");
  GroupOptions ahead = Licences(1);
  ahead.priority = 9;
  story.Group("1x1", ahead);
  EXPECT_EQ(story.Decide(2), "3: node0");
  story.Group("1x1", Licences(1));
  EXPECT_EQ(story.Decide(3), "");
  story.End(1);
  EXPECT_EQ(story.Decide(4), "2: node0");
}

TEST(SchedulePools, OverdueHolderKeepsThePoolReservedWithoutNewPlans) {
  Story story;
  story.Nodes("node0 cpu=9");
  story.schedule.SetPools({{"matlab", 1}});
  story.Group("1x1", Licences(1, 10));
  story.Decide(0);
  story.Group("1x1", Licences(1, 10));
  story.Decide(1);
  EXPECT_EQ(story.Reserved(), "2 at 10 on node0");
  story.Group("1x1", Licences(1, 5));
  EXPECT_EQ(story.Decide(10), "");
  EXPECT_EQ(story.Reserved(), "2 drains node0");
  EXPECT_FALSE(story.schedule.NextDue());
  story.End(1);
  EXPECT_EQ(story.Decide(12), "2: node0");
}

TEST(SchedulePools, ReplacementAndGrowthTakeNothing) {
  Story story;
  story.Nodes("node0 cpu=9");
  story.schedule.SetPools({{"matlab", 2}});
  story.Group("2x1", Licences(2));
  EXPECT_EQ(story.Decide(0), "1: node0 node0");
  story.schedule.Release(1, Uid(1, 1));
  story.schedule.Add(story.MakeGroup(1, "1x1", Licences(2), 7));
  EXPECT_EQ(story.Decide(1), "1: node0");
  EXPECT_EQ(story.decision.placed.at(0).pools,
            (cluster::PoolAmounts{{"matlab", 2}}));
  GroupOptions growth = Licences(2);
  growth.growth = true;
  growth.extends = 1;
  story.Group("1x1", growth);
  EXPECT_EQ(story.Decide(2), "2: node0");
  EXPECT_TRUE(story.decision.placed.at(0).pools.empty());
  story.schedule.Release(2, "");
  EXPECT_EQ(story.Decide(3), "");
  story.Group("1x1", Licences(1));
  EXPECT_EQ(story.Decide(4), "");
  story.End(1);
  EXPECT_EQ(story.Decide(5), "3: node0");
}

TEST(SchedulePools, UndonePlacementGivesThePoolBack) {
  Story story;
  story.Nodes("node0 cpu=9");
  story.schedule.SetPools({{"matlab", 2}});
  story.Group("2x1", Licences(2));
  story.Decide(0);
  story.schedule.Undo(story.decision.placed.at(0));
  story.Group("1x1", Licences(2));
  EXPECT_EQ(story.Decide(1), "2: node0");
}

TEST(SchedulePools, TotalBelowWhatIsHeldStartsNothing) {
  Story story;
  story.Nodes("node0 cpu=9");
  story.schedule.SetPools({{"matlab", 4}});
  story.Group("1x1", Licences(3, 100));
  story.Decide(0);
  story.schedule.SetPools({{"matlab", 2}});
  story.Group("1x1", Licences(1, 10));
  EXPECT_EQ(story.Decide(1), "");
  EXPECT_EQ(story.Reserved(), "2 at 100 on node0");
  EXPECT_THAT(story.OnlyReason(), HasSubstr("0 of 2 of pool matlab are free"));
  story.schedule.SetPools({{"matlab", 4}});
  EXPECT_EQ(story.Decide(2), "2: node0");
}

TEST(SchedulePools, LessInThePoolBreaksAReservationOfIt) {
  Story story;
  QueueSettings conservative;
  conservative.queue_policy = QueuePolicy::kConservative;
  story.schedule.SetQueue(conservative);
  story.Nodes("node0 cpu=9");
  story.schedule.SetPools({{"matlab", 4}});
  story.Group("1x1", Licences(2, 100));
  story.Group("1x1", Licences(2, 200));
  story.Decide(0);
  story.Group("1x1", Licences(2, 100));
  story.Decide(1);
  EXPECT_EQ(story.Reserved(), "3 at 100 on node0");
  story.schedule.SetPools({{"matlab", 3}});
  story.Decide(2);
  EXPECT_EQ(story.Reserved(), "3 at 200 on node0");
  // It moves back when the pool grows.
  story.schedule.SetPools({{"matlab", 4}});
  story.Decide(3);
  EXPECT_EQ(story.Reserved(), "3 at 100 on node0");
  story.End(2);
  EXPECT_EQ(story.Decide(4), "3: node0");
}

TEST(SchedulePools, VictimsAreThoseThatHoldThePool) {
  Preempting story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  story.schedule.SetPools({{"matlab", 3}});
  story.Group("1x1", Licences(1));
  story.Group("1x1", Licences(2));
  story.Group("1x1");
  EXPECT_EQ(story.Decide(0), "1: node0, 2: node0, 3: node0");
  story.Urgent("1x1", Licences(2));
  story.Decide(1);
  EXPECT_EQ(story.Evicted(), "2 until 31 for 4");
  EXPECT_EQ(story.Reserved(), "4 at 31 on node0");
  story.End(2);
  EXPECT_EQ(story.Decide(20), "4: node0");
}

TEST(SchedulePools, NobodyIsEvictedWhereThePoolWouldStillLack) {
  Preempting story;
  story.Nodes("node0 cpu=4");
  story.schedule.SetPools({{"matlab", 3}});
  GroupOptions high = Licences(2);
  high.priority = 90;
  story.Group("1x1", high);
  story.Group("1x3", Licences(1));
  EXPECT_EQ(story.Decide(0), "1: node0, 2: node0");
  story.Urgent("1x2", Licences(2));
  EXPECT_EQ(story.Decide(1), "");
  EXPECT_EQ(story.Evicted(), "");
}

TEST(SchedulePools, HoldersOfOtherComponentsCountUntilTheirEnd) {
  Story story;
  story.Nodes("node0 cpu=9");
  story.schedule.SetPools({{"matlab", 3}});
  story.schedule.SetPoolsElsewhere({{77, 0, 60, {{"matlab", 2}}}});
  story.Group("1x1", Licences(2, 10));
  EXPECT_EQ(story.Decide(0), "");
  EXPECT_EQ(story.Reserved(), "1 at 60 on node0");
  // The picture is of what is held here.
  const std::string picture = story.schedule.Describe();
  story.schedule.SetPoolsElsewhere({});
  EXPECT_EQ(story.schedule.Describe(), picture);
  EXPECT_EQ(story.Decide(1), "1: node0");
}

TEST(SchedulePools, WhatAnotherComponentHasReservedIsKeptForItsTime) {
  Story story;
  story.Nodes("node0 cpu=9");
  story.schedule.SetPools({{"matlab", 3}});
  story.schedule.SetPoolsElsewhere({{77, 60, 100, {{"matlab", 2}}}});
  story.Group("1x1", Licences(2));  // without an end
  story.Group("1x1", Licences(1));
  story.Group("1x1", Licences(2, 50));
  EXPECT_EQ(story.Decide(0), "2: node0, 3: node0");
  EXPECT_EQ(story.Reserved(), "1 at 100 on node0");
  // A drain set elsewhere keeps it from now on.
  story.End(3);
  story.schedule.SetPoolsElsewhere({{78, 0, std::nullopt, {{"matlab", 2}}}});
  story.Group("1x1", Licences(2, 10));
  EXPECT_EQ(story.Decide(51), "");
  story.schedule.SetPoolsElsewhere({});
  EXPECT_EQ(story.Decide(52), "1: node0");
}

TEST(SchedulePools, QuotasCountThem) {
  Story story;
  story.Nodes("node0 cpu=9");
  story.schedule.SetPools({{"matlab", 9}});
  story.schedule.SetAccounts({{.name = "team",
                               .namespace_name = "default",
                               .quota = {{"pool/matlab", 3}}}});
  story.Group("1x1", Licences(2));
  EXPECT_EQ(story.Decide(0), "1: node0");
  story.Group("1x1", Licences(2));
  EXPECT_EQ(story.Decide(1), "");
  EXPECT_THAT(story.OnlyReason(),
              HasSubstr("of the quota of account team (3 pool/matlab)"));
  story.End(1);
  EXPECT_EQ(story.Decide(2), "2: node0");
}

TEST(SchedulePools, ATakeoverKnowsWhatIsHeldAndReserved) {
  Story before;
  before.Nodes("node0 cpu=4");
  before.schedule.SetPools({{"matlab", 3}});
  before.Group("1x1", Licences(2, 100));
  before.Decide(0);
  before.Group("1x1", Licences(3, 10));
  before.Decide(1);
  ASSERT_EQ(before.Reserved(), "2 at 100 on node0");

  Story after;
  after.Nodes("node0 cpu=4");
  after.schedule.SetPools({{"matlab", 3}});
  Held held = HeldOn("node0", 1, {},
                     after.MakeGroup(9, "1x1", Licences(2)).members[0].request);
  held.end = 100;
  held.pools = {{"matlab", 2}};
  after.schedule.Restore(held);
  after.schedule.Add(after.MakeGroup(2, "1x1", Licences(3, 10)));
  after.schedule.Promised(before.decision.reserved.at(0));
  after.schedule.Add(after.MakeGroup(3, "1x1", Licences(1, 200)));
  EXPECT_EQ(after.Decide(5), "");
  EXPECT_EQ(after.Reserved(), "");  // as it was
  EXPECT_EQ(after.schedule.Describe(), before.schedule.Describe());
}

TEST(SchedulePools, NoRunHoldsMoreThanThereIs) {
  for (int seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(static_cast<unsigned>(seed));
    const auto pick = [&](int from, int to) {
      return std::uniform_int_distribution<int>(from, to)(random);
    };
    Story story;
    QueueSettings queue;
    queue.queue_policy = seed % 3 == 0   ? QueuePolicy::kEasy
                         : seed % 3 == 1 ? QueuePolicy::kConservative
                                         : QueuePolicy::kHybrid;
    story.schedule.SetQueue(queue);
    story.Nodes("node0 cpu=6\nnode1 cpu=6");
    const std::map<std::string, std::int64_t> totals = {{"a", 5}, {"b", 3}};
    story.schedule.SetPools({{"a", 5}, {"b", 3}});
    std::map<GroupId, cluster::PoolAmounts> holds;
    std::map<GroupId, matcher::Time> promised;
    for (matcher::Time now = 0; now < 150; ++now) {
      for (int i = pick(0, 1); i > 0; --i) {
        cluster::PoolAmounts pools;
        if (pick(0, 2) > 0) pools["a"] = pick(1, 5);
        if (pick(0, 2) == 0) pools["b"] = pick(1, 3);
        story.Group(
            std::to_string(pick(1, 4)) + "x" + std::to_string(pick(1, 3)),
            Taking(pools, pick(1, 12)));
      }
      for (auto held = holds.begin(); held != holds.end();) {
        if (pick(0, 7) > 0) {
          ++held;
          continue;
        }
        story.End(held->first);
        held = holds.erase(held);
      }
      do {
        story.Decide(now);
        for (const Placed& placed : story.decision.placed)
          holds[placed.group] = placed.pools;
      } while (story.schedule.More());
      std::map<std::string, std::int64_t> sums;
      for (const auto& [group, pools] : holds)
        for (const auto& [pool, amount] : pools) sums[pool] += amount;
      for (const auto& [pool, sum] : sums) ASSERT_LE(sum, totals.at(pool));
    }
  }
}

}  // namespace
}  // namespace fluxnetes::workers
