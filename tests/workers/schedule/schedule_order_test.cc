// The pending order of queues that do not go by arrival, and groups that may
// not start for lack of quota.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/workers/support/schedule_story.h"

namespace fluxnetes::workers {
namespace {

class ScheduleOrder : public ::testing::Test {
 protected:
  void Queue(QueueOrder order, QueuePolicy policy = QueuePolicy::kEasy,
             double ageing = 10) {
    story.schedule.SetQueue(
        {.queue_policy = policy, .queue_order = order, .ageing = ageing});
  }
  GroupId Of(const std::string& space, const std::string& pods,
             std::int64_t duration = 100, int priority = 0) {
    return story.Group(
        pods,
        {.namespace_name = space, .priority = priority, .duration = duration});
  }
  // Returns the groups in the order in which they start, one at a time.
  std::string OneByOne(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      story.Decide(now++);
      for (const Placed& placed : story.decision.placed) {
        text += (text.empty() ? "" : " ") + std::to_string(placed.group);
        running.push_back(placed.group);
      }
      if (running.empty()) break;
      story.End(running.front());
      running.erase(running.begin());
    }
    return text;
  }

  Story story;
  matcher::Time now = 1'000'000;
  std::vector<GroupId> running;
};

TEST_F(ScheduleOrder, ShortestGoesFirstUntilOthersHaveAged) {
  story.Nodes("node0 cpu=4");
  Queue(QueueOrder::kShortest, QueuePolicy::kFcfs, 2);
  Of("a", "1x4", 50);     // 1: its age counts from 1 + 100
  Of("a", "1x4", 10);     // 2: from 2 + 20
  Of("a", "1x4", 30);     // 3: from 3 + 60
  Of("a", "1x4", 49, 0);  // 4: from 4 + 98
  Of("a", "1x4", 49, 1);  // 5: first, by its priority
  Of("a", "1x4", 48);     // 6: from 6 + 96, as late as 4
  EXPECT_EQ(OneByOne(6), "5 2 3 1 4 6");
}

TEST_F(ScheduleOrder, ShortestTakesGroupsWithoutEndForLongOnes) {
  story.Nodes("node0 cpu=4");
  story.schedule.SetQueue({.queue_policy = QueuePolicy::kFcfs,
                           .queue_order = QueueOrder::kShortest});
  story.Group("1x4");
  Of("a", "1x4", 86'401);
  Of("a", "1x4", 86'300);
  EXPECT_EQ(OneByOne(3), "3 1 2");
}

TEST_F(ScheduleOrder, IsToldWithoutALookAtWhatFits) {
  const auto in_order = [this](std::size_t limit) {
    std::string text;
    for (const GroupId group : story.schedule.InOrder(limit))
      text += (text.empty() ? "" : " ") + std::to_string(group);
    return text;
  };
  story.Nodes("node0 cpu=4");
  Queue(QueueOrder::kShortest, QueuePolicy::kFcfs, 1'000);
  EXPECT_EQ(in_order(10), "");
  Of("a", "1x4", 1'000);
  story.Decide(now);      // 1 runs
  Of("a", "1x4", 50);     // 2
  Of("a", "1x4", 10);     // 3
  Of("b", "1x2", 30);     // 4
  Of("b", "1x2", 5);      // 5
  Of("b", "1x8", 1);      // 6 can never fit
  Of("a", "1x4", 90, 1);  // 7
  story.Decide(now);
  EXPECT_EQ(in_order(10), "7 5 3 4 2");
  EXPECT_EQ(in_order(2), "7 5");
  Queue(QueueOrder::kFairShare, QueuePolicy::kFcfs);
  story.Decide(now);
  // The running group belongs to a, and each waiting group is charged to its
  // account.
  EXPECT_EQ(in_order(10), "7 4 5 2 3");
  Queue(QueueOrder::kArrival, QueuePolicy::kFcfs);
  story.Decide(now);
  EXPECT_EQ(in_order(10), "7 2 3 4 5");
  EXPECT_EQ(story.Decide(now + 1), "");
}

TEST_F(ScheduleOrder, IsAnotherAsSoonAsTheQueueSaysSo) {
  story.Nodes("node0 cpu=4");
  Queue(QueueOrder::kArrival);
  Of("a", "1x4", 10);
  story.Decide(now);
  Of("a", "1x4", 1'000);
  Of("a", "1x4", 10);
  story.Decide(now);
  EXPECT_EQ(story.Reserved(), "2 at 1000010 on node0");
  Queue(QueueOrder::kShortest);
  story.Decide(now);
  EXPECT_EQ(story.Reserved(), "3 at 1000010 on node0");
  EXPECT_EQ(story.decision.unreserved, std::vector<GroupId>{2});
}

TEST_F(ScheduleOrder, OfFairSharesTakesAccountsInTurns) {
  story.Nodes("node0 cpu=4");
  Queue(QueueOrder::kFairShare);
  for (int i = 0; i < 4; ++i) Of("a", "1x1");  // 1 2 3 4
  for (int i = 0; i < 4; ++i) Of("b", "1x1");  // 5 6 7 8
  EXPECT_EQ(story.Decide(now), "1: node0, 5: node0, 2: node0, 6: node0");
}

TEST_F(ScheduleOrder, OfFairSharesGoesByWeight) {
  story.Nodes("node0 cpu=8");
  Queue(QueueOrder::kFairShare);
  story.schedule.SetAccounts({{.name = "a", .namespace_name = "a", .weight = 3},
                              {.name = "b", .namespace_name = "b"}});
  for (int i = 0; i < 8; ++i) Of("a", "1x1");
  for (int i = 0; i < 8; ++i) Of("b", "1x1");
  story.Decide(now);
  int of_a = 0;
  for (const Placed& placed : story.decision.placed) of_a += placed.group <= 8;
  EXPECT_EQ(of_a, 6);
  EXPECT_EQ(story.decision.placed.size(), 8U);
}

TEST_F(ScheduleOrder, OfFairSharesRemembersWhatWasUsed) {
  story.Nodes("node0 cpu=4");
  Queue(QueueOrder::kFairShare);
  story.schedule.SetUsed({{{"default", "a", ""}, 1'000}}, now);
  for (int i = 0; i < 3; ++i) Of("a", "1x4");
  for (int i = 0; i < 3; ++i) Of("b", "1x4");
  EXPECT_EQ(OneByOne(6), "4 5 6 1 2 3");
  // The use is reported once a minute.
  EXPECT_TRUE(story.decision.used.empty());
  Of("c", "1x1");
  story.Decide(now + 60);
  for (const AccountUse& use : story.decision.used) {
    if (use.payer.namespace_name == "a") {
      EXPECT_NEAR(use.used, 1'063, 2);  // including what runs
    }
  }
  EXPECT_GE(story.decision.used.size(), 2U);
}

TEST_F(ScheduleOrder, OfFairSharesPutsPriorityFirst) {
  story.Nodes("node0 cpu=4");
  Queue(QueueOrder::kFairShare);
  story.schedule.SetUsed({{{"default", "a", ""}, 1'000}}, now);
  Of("a", "1x4", 100, 1);
  Of("b", "1x4");
  EXPECT_EQ(OneByOne(2), "1 2");
}

TEST_F(ScheduleOrder, KeepsThePlaceOfWhoIsPromisedSomething) {
  story.Nodes("node0 cpu=4");
  Queue(QueueOrder::kFairShare);
  Of("c", "1x4", 100);
  story.Decide(now);
  Of("a", "1x4", 100);
  Of("b", "1x4", 100);
  story.Decide(now);
  EXPECT_EQ(story.Reserved(), "2 at 1000100 on node0");
  // The account has used more since then, for another group.
  story.schedule.SetUsed({{{"default", "a", ""}, 10}}, now);
  story.End(1);
  EXPECT_EQ(story.Decide(now + 1), "2: node0");
}

TEST_F(ScheduleOrder, OfFairSharesLetsNobodyWaitForEver) {
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  Queue(QueueOrder::kFairShare);
  const GroupId large = Of("a", "2x4", 1'000);
  std::set<GroupId> small;
  bool started = false;
  for (int second = 0; second < 400 && !started; ++second) {
    small.insert(Of("b", "1x4", 20));
    small.insert(Of("c", "1x4", 30));
    story.Decide(now + second);
    for (const Placed& placed : story.decision.placed)
      started |= placed.group == large;
    for (const GroupId each : small)
      if (story.schedule.NodesOf(each).size() == 1 && second % 20 == 19)
        story.End(each);
  }
  EXPECT_TRUE(started);
}

TEST_F(ScheduleOrder, IsThatOfArrivalAmongAccountsThatOnlyHaveQuotas) {
  story.Nodes("node0 cpu=4");
  Queue(QueueOrder::kArrival, QueuePolicy::kFcfs);
  story.schedule.SetAccounts(
      {{.name = "a", .namespace_name = "a", .quota = {{"cpu", 8'000}}}});
  Of("a", "1x4");
  Of("b", "1x4");
  Of("a", "1x4");
  EXPECT_EQ(OneByOne(3), "1 2 3");
}

TEST_F(ScheduleOrder, PromisesNothingToWhoMayOnlyGoPastOneThatWaitsForQuota) {
  story.Nodes("node0 cpu=3\nnode1 cpu=3");
  for (const QueuePolicy policy :
       {QueuePolicy::kEasy, QueuePolicy::kConservative}) {
    SCOPED_TRACE(ToString(policy));
    Queue(QueueOrder::kArrival, policy);
    story.schedule.SetAccounts(
        {{.name = "a", .namespace_name = "a", .quota = {{"cpu", 6'000}}}});
    const GroupId holds = Of("a", "1x3", 100);
    const GroupId other = Of("b", "1x3", 95);
    story.Decide(now);
    const GroupId whole = Of("a", "2x3", 100);
    const GroupId brief = Of("a", "1x3", 10);
    story.Decide(now);
    // It could have a node in 95 s, but would then hold the quota after 100 s.
    EXPECT_EQ(story.Reserved(), "");
    story.End(other);
    EXPECT_EQ(story.Decide(now), fmt::format("{}: node1", brief));
    for (const GroupId each : {holds, brief}) story.End(each);
    EXPECT_EQ(story.Decide(now), fmt::format("{}: node0 node1", whole));
    story.End(whole);
  }
}

TEST_F(ScheduleOrder, PassesOverWhoHasNoQuotaLeft) {
  story.Nodes("node0 cpu=8");
  for (const QueuePolicy policy :
       {QueuePolicy::kFcfs, QueuePolicy::kEasy, QueuePolicy::kConservative}) {
    SCOPED_TRACE(ToString(policy));
    Queue(QueueOrder::kArrival, policy);
    story.schedule.SetAccounts(
        {{.name = "a", .namespace_name = "a", .quota = {{"cpu", 4'000}}}});
    const GroupId first = Of("a", "1x3");
    const GroupId second = Of("a", "1x2");
    const GroupId third = Of("b", "1x4");
    EXPECT_EQ(story.Decide(now),
              fmt::format("{}: node0, {}: node0", first, third));
    EXPECT_EQ(story.Decide(now), "");
    EXPECT_EQ(story.Reserved(), "");
    ASSERT_EQ(story.decision.reasons.size(), 1U);
    const WaitReason& reason = story.decision.reasons[0];
    EXPECT_EQ(reason.kind, WaitReason::Kind::kQuota);
    EXPECT_EQ(reason.namespace_name, "a");
    EXPECT_EQ(reason.reason,
              "needs 2 cpu; of the quota of account a (4 cpu) 3 cpu is used or "
              "reserved");
    story.End(first);
    EXPECT_EQ(story.Decide(++now), fmt::format("{}: node0", second));
    story.End(second);
    story.End(third);
    story.Decide(++now);
  }
}

TEST_F(ScheduleOrder, GivesNoPromiseAwayToWhoUsesUpItsQuota) {
  story.Nodes("node0 cpu=4\nnode1 cpu=2");
  Queue(QueueOrder::kArrival);
  story.schedule.SetAccounts(
      {{.name = "a", .namespace_name = "a", .quota = {{"cpu", 4'000}}}});
  Of("b", "1x4", 100);
  story.Decide(now);
  const GroupId promised = Of("a", "1x4", 100);
  const GroupId behind = Of("a", "1x1", 1'000);
  EXPECT_EQ(story.Decide(now), "");
  EXPECT_EQ(story.Reserved(), "2 at 1000100 on node0");
  EXPECT_EQ(story.Decide(now + 50), "");
  story.End(1);
  EXPECT_EQ(story.Decide(now + 100), fmt::format("{}: node0", promised));
  story.End(promised);
  EXPECT_EQ(story.Decide(now + 200), fmt::format("{}: node0", behind));
}

TEST_F(ScheduleOrder, LendsQuotaUntilItsOwnerComes) {
  story.Nodes("node0 cpu=8");
  Queue(QueueOrder::kArrival);
  story.schedule.SetAccounts({{.name = "all", .quota = {{"cpu", 8'000}}},
                              {.name = "a",
                               .parent = "all",
                               .namespace_name = "a",
                               .quota = {{"cpu", 4'000}},
                               .borrows = true},
                              {.name = "b",
                               .parent = "all",
                               .namespace_name = "b",
                               .quota = {{"cpu", 4'000}}}});
  for (int i = 0; i < 12; ++i) Of("a", "1x1");  // 1 to 12
  story.Decide(now);
  EXPECT_EQ(story.decision.placed.size(), 8U);
  const GroupId own = Of("b", "1x2");
  story.Decide(now + 1);
  story.End(1);
  EXPECT_EQ(story.Decide(now + 2), "");  // it waits for two to end
  story.End(2);
  EXPECT_EQ(story.Decide(now + 3), fmt::format("{}: node0", own));
  story.End(3);
  EXPECT_EQ(story.Decide(now + 4), "9: node0");
}

TEST_F(ScheduleOrder, SaysWhatIsMoreThanAllQuota) {
  story.Nodes("node0 cpu=8");
  Queue(QueueOrder::kArrival);
  story.schedule.SetAccounts(
      {{.name = "a", .namespace_name = "a", .quota = {{"cpu", 4'000}}}});
  Of("a", "1x5");
  story.Decide(now);
  EXPECT_EQ(story.OnlyReason(),
            "needs 5 cpu, more than all of the quota of account a (4 cpu)");
  story.schedule.SetAccounts({});
  EXPECT_EQ(story.Decide(now), "1: node0");
}

}  // namespace
}  // namespace fluxnetes::workers
