// Quota that was lent and is taken back.
#include <gtest/gtest.h>

#include "tests/workers/support/preempting_story.h"

namespace fluxnetes::workers {
namespace {

// Accounts a and b with 4 cpu each, which may borrow from one another; together
// they have `all` if that is not 0.
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
    // It does not start before the quota is free, and no other group is evicted
    // for it.
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
  story.Of("b", "1x4");  // 8 cpu with a quota of 6
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
  story.Of("c", "1x4");  // no account, and so no quota
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
  const GroupOptions of_a = {.queue = "urgent", .namespace_name = "a"};
  story.schedule.Restore(HeldOn("node0", 1, of_a, request));
  Held evicted = HeldOn("node0", 2, of_a, request);
  evicted.end = 31;
  evicted.evictable = false;
  evicted.evicted_for = 3;
  story.schedule.Restore(evicted);
  story.schedule.Add(
      story.MakeGroup(3, "1x4", {.queue = "urgent", .namespace_name = "b"}));
  EXPECT_EQ(story.Decide(5), "");
  EXPECT_EQ(story.Evicted(), "");
  EXPECT_EQ(story.Reserved(), "3 at 31 on node0");
  story.End(2);
  EXPECT_EQ(story.Decide(6), "3: node0");
}

// It waits for quota, not for room.
TEST(Reclaim, WhoHasNoQuotaEvictsNobodyForRoom) {
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
