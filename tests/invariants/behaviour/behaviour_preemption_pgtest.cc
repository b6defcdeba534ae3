// Groups evicted for other groups: whole, with an explanation, and pending
// again.
#include "tests/invariants/behaviour/behaviour.h"
#include "workers/requests/cancel.h"

namespace fluxnetes::testing {
namespace {

using std::chrono::seconds;

class BehaviourOfEvictions : public Behaviour {
 protected:
  void Allow(const std::string& preemption) {
    system.database.Execute("UPDATE queues SET preemption = '" + preemption +
                            "'");
    system.Settle();
  }
  std::string ResultOf(const std::string& group) {
    return system.Ask(
        "SELECT string_agg(result, ' ' ORDER BY group_id) FROM group_history "
        "WHERE group_name = '" +
        group + "'");
  }
  std::string CancelReasonOf(const std::string& group) {
    return system.Ask(
        "SELECT coalesce(cancel_reason, 'none') FROM pod_groups WHERE "
        "group_name = '" +
        group + "' ORDER BY id LIMIT 1");
  }
  // Fills both nodes with a gang, then submits one that is ahead of it.
  void Evict(const GangShape& victim = {.cpu = "4", .seconds = 600}) {
    Allow("lower_priority");
    Submit(GangOf("low", 2, victim));
    ASSERT_EQ(StateOf("low"), "bound");
    system.Advance(seconds(1));
    Submit(GangOf("high", 1, {.cpu = "4", .seconds = 60, .priority = 10}));
  }
};

TEST_F(BehaviourOfEvictions,
       WholeGroupGoesForOneOfAHigherPriorityAndComesBack) {
  Evict();
  system.Advance(seconds(31));
  EXPECT_EQ(StateOf("high"), "bound");
  EXPECT_EQ(StateOf("low"), "pending");  // its Job has re-created its pods
  EXPECT_EQ(ResultOf("low"), "preempted");
  EXPECT_EQ(system.Ask("SELECT reason FROM group_history"),
            "preempted by group default/high");
  EXPECT_TRUE(system.cluster.GetJob("default", "low"));
  RunToEndAndExpectNothingLeft();
  EXPECT_EQ(ResultOf("low"), "preempted succeeded");
  EXPECT_EQ(ResultOf("high"), "succeeded");
}

TEST_F(BehaviourOfEvictions, NobodyIsEvictedUnlessTheQueueSaysSo) {
  Submit(GangOf("low", 2, {.cpu = "4", .seconds = 600}));
  Submit(GangOf("high", 1, {.cpu = "4", .seconds = 60, .priority = 10}));
  EXPECT_EQ(StateOf("high"), "pending");
  EXPECT_EQ(CancelReasonOf("low"), "none");
  Allow("lower_priority");
  EXPECT_EQ(CancelReasonOf("low"), "preempted by group default/high");
}

// Its Job would re-create fewer pods than the gang has, and they would wait for
// ever.
TEST_F(BehaviourOfEvictions, GangOfWhichAPodHasSucceededIsNotEvicted) {
  Allow("lower_priority");
  Submit(GangOf("short", 2,
                {.cpu = "4", .seconds = 10, .group = "low", .absent = 1}));
  Submit(GangOf("long", 2,
                {.cpu = "4", .seconds = 60, .group = "low", .absent = 1}));
  ASSERT_EQ(StateOf("low"), "bound");
  system.Advance(seconds(12));
  for (const bool restart : {false, true}) {
    if (restart) system.CrashAndRestart();
    Submit(GangOf(restart ? "again" : "high", 2,
                  {.cpu = "4", .seconds = 60, .priority = 10}));
    EXPECT_EQ(CancelReasonOf("low"), "none") << restart;
  }
  RunToEndAndExpectNothingLeft();
  EXPECT_EQ(ResultOf("low"), "succeeded");
}

TEST_F(BehaviourOfEvictions, PodsAreToldBeforeTheyAreDeleted) {
  Evict();
  std::size_t events = 0;
  for (int i = 0; i < 2; ++i) {
    const auto pod = PodOfIndex(i);
    ASSERT_TRUE(pod != nullptr && pod->terminating);
    const auto condition =
        system.cluster.ConditionOf(pod->namespace_name, pod->name);
    ASSERT_TRUE(condition);
    EXPECT_EQ(condition->type, cluster::PodCondition::Type::kDisruptionTarget);
    EXPECT_EQ(condition->message, "preempted by group default/high");
    for (const auto& event : system.cluster.EventsOf(pod->uid))
      events += event.reason == "Preempted" ? 1 : 0;
  }
  EXPECT_EQ(events, 1U);
}

// The cluster would refuse it again, and groups would be evicted in vain each
// time.
TEST_F(BehaviourOfEvictions, WhoTheClusterRefusesEvictsNobodyAnyMore) {
  const auto preempts = [this] {
    return system.Ask(
        "SELECT preempts FROM pod_groups WHERE group_name = 'high'");
  };
  Evict();
  EXPECT_EQ(preempts(), "t");
  system.cluster.FailBinds(cluster::BindFault::kRefused, 1);
  system.Advance(seconds(31));
  EXPECT_EQ(preempts(), "f");
  RunToEndAndExpectNothingLeft();
  EXPECT_EQ(ResultOf("high"), "succeeded");
}

TEST_F(BehaviourOfEvictions, PodsThatDoNotPreemptWait) {
  Allow("lower_priority");
  Submit(GangOf("low", 2, {.cpu = "4", .seconds = 600}));
  Submit(GangOf("high", 1,
                {.cpu = "4",
                 .seconds = 60,
                 .priority = 10,
                 .rules = "preemptionPolicy: Never"}));
  EXPECT_EQ(StateOf("high"), "pending");
  EXPECT_EQ(CancelReasonOf("low"), "none");
}

// Pods that arrive in the meantime do not take the placement.
TEST_F(BehaviourOfEvictions, PlacesAreKeptForWhomTheyWereMadeFree) {
  Allow("lower_priority");
  Submit(GangOf("low", 1,
                {.cpu = "4",
                 .seconds = 600,
                 .rules = "terminationGracePeriodSeconds: 20"}));
  Submit(GangOf("other", 1, {.cpu = "4", .seconds = 600, .priority = 20}));
  Submit(GangOf("high", 1, {.cpu = "4", .seconds = 60, .priority = 10}));
  EXPECT_EQ(CancelReasonOf("low"), "preempted by group default/high");
  Submit(GangOf("small", 1, {.cpu = "1", .seconds = 600}));
  Submit(GangOf("same", 1, {.cpu = "4", .seconds = 600, .priority = 10}));
  system.CrashAndRestart();
  system.Settle();
  system.Advance(seconds(25));
  EXPECT_EQ(StateOf("high"), "bound");
  EXPECT_EQ(StateOf("other"), "bound");
  EXPECT_EQ(StateOf("small"), "pending");
  EXPECT_EQ(ResultOf("low"), "preempted");
  RunToEndAndExpectNothingLeft();
}

TEST_F(BehaviourOfEvictions, PreemptorThatGoesAwayLeavesNothingBehind) {
  Evict();
  system.cluster.Delete({"Job", "default", "high", ""});
  system.Settle();
  RunToEndAndExpectNothingLeft();
  EXPECT_EQ(ResultOf("low"), "preempted succeeded");
}

TEST_F(BehaviourOfEvictions, EvictedGroupThatIsCancelledComesBackNoMore) {
  Evict({.cpu = "4",
         .seconds = 600,
         .rules = "terminationGracePeriodSeconds: 20"});
  ASSERT_EQ(CancelReasonOf("low"), "preempted by group default/high");
  EXPECT_EQ(workers::CancelGroup(system.process->pool, "default", "low",
                                 "not wanted", system.cluster.Now()),
            1);
  system.Settle();
  // The group for which it was evicted is still known.
  EXPECT_EQ(system.Ask("SELECT preempted_for IS NOT NULL FROM pod_groups WHERE "
                       "group_name = 'low'"),
            "t");
  RunToEndAndExpectNothingLeft();
  EXPECT_EQ(ResultOf("low"), "cancelled");
  EXPECT_EQ(ResultOf("high"), "succeeded");
}

// The match decides on its state, but meanwhile a pod of the victim has failed.
TEST_F(BehaviourOfEvictions, VictimThatChangesMeanwhileIsLookedAtAgain) {
  Allow("lower_priority");
  Submit(GangOf("low", 2, {.cpu = "4", .seconds = 600}));
  system.Submit(GangOf("high", 1, {.cpu = "4", .seconds = 60, .priority = 10}));
  const auto now = system.cluster.Now();
  system.process->intake.RunOnce(now);
  system.process->promoter.RunOnce(now);
  system.database.Execute(
      "UPDATE pod_groups SET cancel_reason = 'by a test' "
      "WHERE group_name = 'low'");
  while (system.process->match.RunOnce(now)) {
  }
  EXPECT_EQ(CancelReasonOf("low"), "by a test");
  EXPECT_EQ(system.Ask("SELECT count(*) FROM pod_groups WHERE preempted_for IS "
                       "NOT NULL"),
            "0");
  EXPECT_EQ(StateOf("high"), "pending");
}

// Intake has recorded it, the match has not been notified yet.
TEST_F(BehaviourOfEvictions, PodOfTheVictimThatSucceedsMeanwhileKeepsIt) {
  Allow("lower_priority");
  Submit(GangOf("low", 2, {.cpu = "4", .seconds = 600}));
  system.Submit(GangOf("high", 1, {.cpu = "4", .seconds = 60, .priority = 10}));
  const auto now = system.cluster.Now();
  system.process->intake.RunOnce(now);
  system.process->promoter.RunOnce(now);
  system.database.Execute(
      "UPDATE pods SET state = 'succeeded' WHERE pod_name LIKE 'low-0%'");
  for (int runs = 0; system.process->match.RunOnce(now); ++runs)
    ASSERT_LT(runs, 10);
  EXPECT_EQ(CancelReasonOf("low"), "none");
  EXPECT_EQ(StateOf("high"), "pending");
}

TEST_F(BehaviourOfEvictions, OnlyBorrowedQuotaIsTakenBack) {
  Allow("reclaim");
  system.database.Execute(
      "INSERT INTO accounts (name, parent, namespace, quota, borrows) VALUES "
      "('all', NULL, NULL, '{\"cpu\": \"8\"}', false), "
      "('a', 'all', 'default', '{\"cpu\": \"4\"}', true), "
      "('b', 'all', 'lab', '{\"cpu\": \"4\"}', true)");
  Submit(GangOf("own", 1, {.cpu = "4", .seconds = 600}));
  system.Advance(seconds(1));
  Submit(GangOf("lent", 1, {.cpu = "4", .seconds = 600}));
  EXPECT_EQ(StateOf("lent"), "bound");
  Submit(GangOf("theirs", 1, {.cpu = "4", .seconds = 60, .name_space = "lab"}));
  EXPECT_EQ(CancelReasonOf("own"), "none");
  EXPECT_EQ(CancelReasonOf("lent"), "preempted by group lab/theirs");
  system.Advance(seconds(31));
  EXPECT_EQ(StateOf("theirs"), "bound");
  EXPECT_EQ(StateOf("own"), "bound");
  RunToEndAndExpectNothingLeft();
}

}  // namespace
}  // namespace fluxnetes::testing
