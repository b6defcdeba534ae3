// Queues that keep many reservations: special cases in which these are kept,
// too.
#include <gtest/gtest.h>

#include "tests/workers/support/promises_story.h"

namespace fluxnetes::workers {
namespace {

// Each of these cases was a bug, found by reading and then by its test.
class SchedulePromisesKept : public SchedulePromises {
 protected:
  void Queue(int queue_depth = 100'000) {
    story.schedule.SetQueue({.queue_policy = QueuePolicy::kConservative,
                             .queue_depth = queue_depth,
                             .reservation_depth = 4'000});
  }
  GroupId In(const std::string& zone, const std::string& pods,
             std::optional<std::int64_t> duration, int priority = 0) {
    return story.Group(pods, {.priority = priority,
                              .duration = duration,
                              .selector = zone.empty() ? "" : "zone=" + zone});
  }
};

TEST_F(SchedulePromisesKept, DoNotHoldByOnesBehindThem) {
  Queue();
  story.Nodes(
      "node0 cpu=4 host=0 zone=x\nnode1 cpu=4 host=1 zone=x\n"
      "node2 cpu=1 host=2");
  story.Group(
      "1x1",
      {.duration = 10'000, .selector = "host=0", .labels = {{"app", "b"}}});
  story.Group("1x1", {.duration = 50, .selector = "host=0"});
  story.Group("1x2", {.duration = 500, .selector = "host=0"});
  story.Group("1x4", {.duration = 100, .selector = "host=1"});
  const GroupId apart =
      story.Group("1x1", {.duration = 10'000, .selector = "host=2"});
  story.Decide(0);
  cluster::PodRules near;
  near.affinity = {Near("b", "host")};
  const GroupId a = story.Group("1x3", {.duration = 200, .rules = near});
  const GroupId b = story.Group(
      "1x1",
      {.duration = 1'000, .selector = "zone=x", .labels = {{"app", "b"}}});
  Settle(1);
  story.End(apart);
  EXPECT_LT(Settle(2), 20);
  EXPECT_EQ(promised[a], 500);
  EXPECT_EQ(promised[b], 100);  // at 50 it would be in the way of a
}

// A queue has at most one drain set.
TEST_F(SchedulePromisesKept, OfADrainSetGoToTheNextWhenItsOwnerGetsNone) {
  Queue();
  story.Nodes("node0 cpu=4\nnode1 cpu=2");
  story.Group("1x4");
  story.Group("1x2");
  story.Decide(0);
  story.Group("1x4");
  story.Group("1x2");
  story.Decide(1);
  EXPECT_EQ(story.Reserved(), "3 drains node0");
  story.schedule.RemoveNode("node0");  // now group 3 can never fit
  story.Decide(2);
  EXPECT_EQ(story.Reserved(), "4 drains node1");
}

TEST_F(SchedulePromisesKept, GetATimeWhenOneComesThatTheyAreToBeBeside) {
  Queue();
  story.Nodes("node0 cpu=2 zone=a\nnode1 cpu=4 zone=a\nnode2 cpu=1 zone=a");
  const cluster::LabelMap db = {{"app", "db"}};
  cluster::PodRules near;
  near.affinity = {Near("db", "zone")};
  story.Group("1x2", {.duration = 30, .labels = db});
  story.Group("1x4", {.duration = 50});
  const GroupId beside = story.Group("1x4", {.duration = 10, .rules = near});
  Settle(0);
  EXPECT_EQ(story.Reserved(), "3 drains node1");
  // The pod that it must be beside is gone by then.
  EXPECT_FALSE(promised.contains(beside));
  story.Group("1x1", {.duration = 100, .labels = db});
  Settle(20);
  EXPECT_EQ(promised[beside], 50);
}

TEST_F(SchedulePromisesKept, AreNotOvertakenWhileTheyArePutOff) {
  Queue();
  story.Nodes("node0 cpu=4 zone=a\nnode1 cpu=4 zone=b");
  In("a", "1x4", 100);
  const GroupId other = In("b", "1x4", 1'000);
  story.Decide(0);
  for (int i = 0; i < 64; ++i) In("a", "1x4", 10);
  const GroupId anywhere = In("", "1x4", 10);
  Settle(1);
  EXPECT_EQ(promised[anywhere], 740);
  story.End(other);
  story.Nodes("node0 cpu=5 zone=a");  // all other reservations must be checked
  const GroupId behind = In("", "1x4", 10'000);
  Settle(2);
  EXPECT_TRUE(started.contains(anywhere));
  EXPECT_FALSE(started.contains(behind));
}

TEST_F(SchedulePromisesKept, LeaveNodesThatOthersBeforeThemBeginToDrain) {
  Queue();
  story.Nodes("node0 cpu=4 zone=a\nnode1 cpu=3 zone=b");
  In("a", "1x1", std::nullopt);
  const GroupId long_one = In("a", "1x3", 500);
  In("b", "1x2", 600);
  const GroupId k = In("", "1x3", 100);
  Settle(0);
  EXPECT_EQ(promised[k], 500);
  story.Group("1x4", {.priority = 1, .duration = 100, .selector = "zone=a"});
  const GroupId behind = In("", "1x1", 2'000);
  Settle(1);
  EXPECT_EQ(promised[k], 600);
  EXPECT_FALSE(story.schedule.NodeOf(Uid(behind, 0)));
  story.End(long_one);
  story.Decide(500);
  EXPECT_FALSE(story.schedule.NodeOf(Uid(k, 0)));
}

TEST_F(SchedulePromisesKept, FollowWhatOthersAreTakenToLast) {
  const auto endless = [this](std::int64_t seconds) {
    story.schedule.SetQueue({.name = "endless", .assumed_duration = seconds});
  };
  Queue();
  endless(10'000);
  story.Nodes("node0 cpu=4");
  story.Group("1x4", {.queue = "endless"});
  story.Decide(0);
  const GroupId first = In("", "1x4", 100);
  Settle(0);
  EXPECT_EQ(promised[first], 10'000);
  endless(100);
  const GroupId second = In("", "1x4", 5'000);
  Settle(1);
  EXPECT_EQ(promised[first], 100);
  EXPECT_EQ(promised[second], 200);
  endless(1'000);
  Settle(2);
  EXPECT_EQ(promised[first], 1'000);
  EXPECT_EQ(promised[second], 1'100);
}

TEST_F(SchedulePromisesKept, StartWhenWhatOutlivedItsDeadlineHasEnded) {
  Queue();
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  const GroupId late = In("", "1x4", 100);
  const GroupId later = In("", "1x4", 100);
  Settle(0);
  const GroupId first = In("", "2x4", 50);
  const GroupId second = In("", "1x4", 50);
  Settle(1);
  EXPECT_EQ(promised[first], 100);
  EXPECT_EQ(promised[second], 150);
  Settle(101);
  EXPECT_FALSE(story.schedule.NodeOf(Uid(first, 0)));
  story.End(late);
  Settle(120);
  EXPECT_FALSE(story.schedule.NodeOf(Uid(first, 0)));
  EXPECT_FALSE(story.schedule.NodeOf(Uid(second, 0)));
  story.End(later);
  Settle(130);
  EXPECT_TRUE(story.schedule.NodeOf(Uid(first, 0)));
  EXPECT_EQ(promised[second], 180);
}

TEST_F(SchedulePromisesKept, OfAnotherNumberOfPodsAreMadeAnewOnTheirNodes) {
  story.schedule.SetQueue({.queue_policy = QueuePolicy::kConservative});
  story.Nodes("node0 cpu=4");
  story.Group("1x4", {.duration = 100});
  story.Decide(0);
  story.schedule.Promised({2, "default", 120, {"node0"}, {0}});
  story.Group("2x2", {.duration = 10});
  story.schedule.Promised({3, "default", 130, {"node0"}, {0, 0, 0}});
  story.Group("1x4", {.duration = 10});
  Settle(1);
  EXPECT_EQ(promised[2], 100);
  EXPECT_EQ(promised[3], 110);
}

TEST_F(SchedulePromisesKept, OfAnOwnerBeforeHaveTheirPlacesBesideRules) {
  Queue();
  story.Nodes("node0 cpu=4 host=0\nnode1 cpu=2 host=1");
  story.Group("1x4", {.duration = 100});
  story.Group("1x2", {.duration = 100});
  story.Decide(0);
  // The group with rules could have three places on node0.
  cluster::PodRules apart;
  apart.anti_affinity = {Near("x", "host")};
  const GroupId bound = 3, plain = 4;
  story.schedule.Promised(
      {bound, "default", 100, {"node0", "node1"}, {0, 1, 1}});
  story.schedule.Promised({plain, "default", 100, {"node0"}, {0}});
  story.Group("3x1", {.duration = 10, .rules = apart});
  story.Group("1x3", {.duration = 10});
  Settle(1);
  // Their reservations have not changed.
  EXPECT_FALSE(promised.contains(bound)) << promised[bound];
  EXPECT_FALSE(promised.contains(plain)) << promised[plain];
}

TEST_F(SchedulePromisesKept, StayWhereOneWithRulesBeforeThemLooksInVain) {
  Queue();
  story.Nodes("node0 cpu=4 host=0\nnode1 cpu=2 host=1\nnode2 cpu=1 host=2");
  story.Group("1x4", {.duration = 100});
  story.Group("1x2", {.duration = 100});
  const GroupId other =
      story.Group("1x1", {.duration = 50, .labels = {{"app", "x"}}});
  EXPECT_EQ(story.Decide(0), "1: node0, 2: node1, 3: node2");
  cluster::PodRules apart;
  apart.anti_affinity = {Near("x", "host")};
  const GroupId bound = 4, plain = 5;
  story.schedule.Promised(
      {bound, "default", 100, {"node0", "node1"}, {0, 1, 1}});
  story.schedule.Promised({plain, "default", 100, {"node0"}, {0}});
  story.Group("3x1", {.duration = 10, .rules = apart});
  story.Group("1x3", {.duration = 10, .selector = "host=0"});
  Settle(1);
  story.End(other);  // it might start earlier now, but does not
  Settle(2);
  EXPECT_FALSE(promised.contains(bound)) << promised[bound];
  EXPECT_FALSE(promised.contains(plain)) << promised[plain];
}

// What the two groups ahead of the wide one leave goes to the wide one,
// although it gained nothing at first and those two are in a later slice.
TEST_F(SchedulePromisesKept, KeepTheirTurnBehindThoseThatArePutOff) {
  Queue();
  story.Nodes("node0 cpu=4 zone=p\nnode1 cpu=4 zone=q");
  const GroupId brief = In("p", "1x4", 100);
  const GroupId half = In("q", "1x2", 100);
  In("q", "1x2", 100);
  story.Decide(0);
  for (int i = 0; i < 150; ++i) In("p", "1x4", 10);
  const GroupId first = In("q", "1x2", 10);
  const GroupId second = In("q", "1x2", 10);
  const GroupId wide = In("q", "1x4", 10);
  const GroupId behind = In("q", "1x2", 40);
  Settle(1);
  ASSERT_EQ(promised[second], 100);
  ASSERT_EQ(promised[wide], 110);
  ASSERT_EQ(promised[behind], 120);
  story.End(brief);
  story.End(half);
  EXPECT_GT(Settle(50), 1);
  EXPECT_TRUE(started.contains(first));
  EXPECT_EQ(promised[second], 60);
  EXPECT_EQ(promised[wide], 100);
  EXPECT_EQ(promised[behind], 110);
}

TEST_F(SchedulePromisesKept, AreNotLostWhenAGroupIsLookedAtAgain) {
  const auto look_again = [this](bool relabel, matcher::Time base) {
    SCOPED_TRACE(relabel);
    Queue();
    const GroupId r = In("a", "1x4", 100);
    const GroupId s = In("b", "1x4", 150);
    started.clear();
    promised.clear();
    Settle(base);
    const GroupId p = In("", "2x4", 50);
    const GroupId a = In("a", "1x4", 100);
    const GroupId b = story.Group(
        "1x4",
        {.duration = 50, .selector = "zone=a", .labels = {{"app", "w"}}});
    Settle(base + 1);
    EXPECT_EQ(promised[p], base + 150);
    EXPECT_EQ(promised[a], base + 200);
    EXPECT_EQ(promised[b], base + 100);
    story.schedule.Remove(p);
    Settle(base + 1);
    EXPECT_EQ(promised[a], base + 150);
    if (relabel) {
      cluster::PodRules away;
      away.anti_affinity = {Near("w", "zone")};
      story.Group("1x4", {.duration = 10'000, .rules = away});
    } else {
      Queue(99'999);
    }
    Settle(base + 2);
    EXPECT_EQ(promised[a], base + 150);
    EXPECT_EQ(promised[b], base + 100);
    for (const GroupId each : {r, s}) story.End(each);
    for (const GroupId each : {a, b}) story.schedule.Remove(each);
  };
  story.Nodes("node0 cpu=4 zone=a\nnode1 cpu=4 zone=b");
  look_again(false, 0);
  look_again(true, 1'000);
}

TEST_F(SchedulePromisesKept, AreSaidAgainAfterAGroupHasGoneAndCome) {
  Fill(1);
  story.Decide(1);
  ASSERT_EQ(story.Reserved(), "2 at 100 on node0");
  story.schedule.Remove(2);
  story.schedule.Add(story.MakeGroup(2, "1x4", {.duration = 10}));
  story.Decide(2);
  EXPECT_EQ(story.Reserved(), "2 at 100 on node0");
  EXPECT_EQ(story.decision.unreserved, std::vector<GroupId>{2});
}

TEST_F(SchedulePromisesKept, BehindDoNotStopAGroupOfAnotherQueue) {
  story.schedule.SetQueue(
      {.name = "kept", .queue_policy = QueuePolicy::kConservative});
  story.Nodes("node0 cpu=8 zone=a\nnode2 cpu=6 zone=b\nnode3 cpu=1 zone=c");
  In("a", "1x5", 100);
  const GroupId leaves = In("b", "1x6", 10'000);
  In("c", "1x1", 10'000);
  story.Decide(0);
  const GroupId first = story.Group("1x6", {.queue = "kept", .duration = 100});
  In("c", "1x1", 10);
  const GroupId between = In("a", "1x3", 500);
  story.Group("1x6", {.queue = "kept", .duration = 100, .selector = "zone=a"});
  Settle(1);
  EXPECT_TRUE(started.empty());
  story.End(leaves);
  Settle(2);
  EXPECT_EQ(started, (std::set<GroupId>{first, between}));
}

// Only the first group of the easy queue is considered; the shape behind it
// must still be considered, in each cycle.
TEST_F(SchedulePromisesKept, BehindOnesBeyondADepthBecomeBetterAllTheSame) {
  story.schedule.SetQueue({.queue_depth = 1});
  story.schedule.SetQueue(
      {.name = "kept", .queue_policy = QueuePolicy::kConservative});
  story.Nodes("node0 cpu=4 zone=a\nnode1 cpu=4 zone=b");
  In("a", "1x4", 100);
  In("b", "1x2", 100);
  const GroupId leaves = In("b", "1x2", 200);
  story.Decide(0);
  In("a", "1x4", 10);
  In("a", "1x3", 10);
  const GroupId behind = story.Group(
      "1x4", {.queue = "kept", .duration = 10, .selector = "zone=b"});
  Settle(1);
  ASSERT_EQ(promised[behind], 200);
  story.End(leaves);
  EXPECT_LT(Settle(2), 10);
  EXPECT_EQ(promised[behind], 100);
}

// By fair shares the first group of the easy queue falls behind the second one
// when its account is charged for a group ahead of it, in each cycle.
TEST_F(SchedulePromisesKept, BehindOnesWhoseTurnComesLaterBecomeBetterToo) {
  story.schedule.SetQueue({.queue_order = QueueOrder::kFairShare});
  story.schedule.SetQueue({.name = "kept",
                           .queue_policy = QueuePolicy::kConservative,
                           .queue_order = QueueOrder::kFairShare});
  story.Nodes("node0 cpu=4 zone=a\nnode1 cpu=4 zone=b");
  const auto add = [&](const std::string& queue, const std::string& account,
                       const std::string& zone, const std::string& pods,
                       std::int64_t duration, int priority = 0) {
    return story.Group(pods, {.queue = queue,
                              .namespace_name = account,
                              .priority = priority,
                              .duration = duration,
                              .selector = "zone=" + zone});
  };
  add("default", "x", "a", "1x4", 100);
  add("default", "x", "b", "1x2", 100);
  const GroupId leaves = add("default", "x", "b", "1x2", 200);
  story.Decide(0);
  add("kept", "a", "a", "1x4", 10, 1);
  add("default", "a", "a", "1x4", 10);
  add("default", "b", "a", "1x3", 10);
  const GroupId behind = add("kept", "c", "b", "1x4", 10);
  Settle(1);
  ASSERT_EQ(promised[behind], 200);
  story.End(leaves);
  EXPECT_LT(Settle(2), 10);
  EXPECT_EQ(promised[behind], 100);
}

TEST_F(SchedulePromisesKept, AreGivenUpAsAWholeByWhoStartsNow) {
  Queue();
  story.Nodes(
      "node0 cpu=4 zone=a host=0\nnode1 cpu=4 zone=a host=1\n"
      "node9 cpu=4 zone=z host=9");
  const GroupId holds =
      story.Group("1x4", {.duration = 100, .selector = "host=0"});
  In("z", "1x4", 10'000);
  story.Decide(0);
  cluster::PodRules apart;
  apart.anti_affinity = {Near("nobody", "host")};
  const GroupId k = story.Group(
      "2x4", {.duration = 100, .selector = "zone=a", .rules = apart});
  const GroupId behind =
      story.Group("1x4", {.duration = 150, .selector = "host=1"});
  Settle(1);
  EXPECT_EQ(promised[k], 100);
  EXPECT_EQ(promised[behind], 200);
  story.End(holds);
  In("z", "1x4", 100, 1);
  Settle(50);
  EXPECT_TRUE(started.contains(k));
  EXPECT_EQ(promised[behind], 150);
}

TEST_F(SchedulePromisesKept, AlsoWhereNodesComeFreeLate) {
  story.Nodes("node0 cpu=4");
  const GroupId late = story.Group("1x4", {.duration = 10});
  story.Decide(0);
  const GroupId next = story.Group("1x4", {.duration = 10});
  for (matcher::Time now = 1; now < 15; ++now) Settle(now);
  EXPECT_FALSE(started.contains(next));
  story.End(late);
  Settle(15);
  EXPECT_TRUE(started.contains(next));
}

TEST_F(SchedulePromisesKept, AndWhatRunsIsThereWhenClocksGoBack) {
  story.Nodes("node0 cpu=4");
  story.Group("1x4", {.duration = 100});
  EXPECT_EQ(story.Decide(100), "1: node0");
  story.Group("1x4", {.duration = 10});
  EXPECT_EQ(story.Decide(50), "");
  EXPECT_EQ(story.Reserved(), "2 at 200 on node0");
}

}  // namespace
}  // namespace fluxnetes::workers
