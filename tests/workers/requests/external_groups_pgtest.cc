#include "tests/workers/support/start_fixture.h"
#include "workers/requests/cancel.h"
#include "workers/requests/external_groups.h"

namespace fluxnetes::workers {
namespace {

using AnswerState = ExternalAnswer::State;
using Nodes = std::vector<ExternalAnswer::Node>;
using std::chrono::hours;
using std::chrono::seconds;

// Three nodes with 4 cpu each.
class ExternalGroupsTest : public StartTest {
 protected:
  ExternalGroupsTest() {
    for (const char* node : {"n0", "n1", "n2"}) SetNode(node, 4'000);
  }

  using StartTest::Ask;

  // A request for this many pods of 2 cpu.
  static ExternalAsk AskFor(const std::string& name, int pods,
                            bool reserve = false) {
    ExternalAsk ask;
    ask.namespace_name = "default";
    ask.name = name;
    ask.queue = "default";
    ask.request.resources.cpu_milli = 2'000;
    ask.request.resources.pods = 1;
    ask.pods = pods;
    ask.reserve = reserve;
    ask.answer_by = kNoon + seconds(30);
    return ask;
  }
  GroupId Ask(const ExternalAsk& ask, cluster::Time now = kNoon) {
    return external.Ask(ask, now)->group;
  }
  GroupId AskAndMatch(const ExternalAsk& ask) {
    const GroupId group = Ask(ask);
    Match();
    return group;
  }
  AnswerState StateOfAnswer(GroupId group) {
    return external.Look(group).state;
  }

  ExternalGroups external{database.pool(), *jobs};
};

TEST_F(ExternalGroupsTest, PodsGetPlacesAllOrNoneAndNothingIsToBeBound) {
  const GroupId group = Ask(AskFor("train", 3));
  EXPECT_EQ(StateOfAnswer(group), AnswerState::kWaits);
  Match();
  const ExternalAnswer answer = external.Look(group);
  EXPECT_EQ(answer.state, AnswerState::kAllocated);
  EXPECT_EQ(answer.nodes, (Nodes{{"n0", 2}, {"n1", 1}}));
  EXPECT_EQ(Ask("SELECT state FROM pod_groups"), "allocated");
  EXPECT_EQ(Ask("SELECT sum(cpu_milli) FROM placements"), "6000");
  EXPECT_EQ(Jobs("match"), "0");
  EXPECT_EQ(Jobs("bind"), "0");
}

TEST_F(ExternalGroupsTest, WithoutRoomNothingOfItStays) {
  const GroupId first = AskAndMatch(AskFor("first", 6));
  const GroupId second = AskAndMatch(AskFor("second", 1));
  EXPECT_EQ(StateOfAnswer(first), AnswerState::kAllocated);
  EXPECT_EQ(StateOfAnswer(second), AnswerState::kGone);
  EXPECT_EQ(Ask("SELECT count(*) FROM pod_groups"), "1");
  EXPECT_EQ(Ask("SELECT count(*) FROM external_groups"), "1");
  EXPECT_EQ(Jobs("match"), "0");
  EXPECT_EQ(Ask("SELECT count(*) FROM reservations"), "0");
}

TEST_F(ExternalGroupsTest, WhatCanNeverFitIsNoRoomToo) {
  EXPECT_EQ(StateOfAnswer(AskAndMatch(AskFor("huge", 7))), AnswerState::kGone);
}

TEST_F(ExternalGroupsTest, GroupsBeforeItInLineGoFirst) {
  CreateGang("runs", 6);  // of 12 cpu
  CreateGang("waits", 12);
  ObserveAndPromote();
  Match();
  EXPECT_EQ(StateOf("waits"), "pending reserved");
  // It would delay the group that has all nodes reserved.
  const GroupId late = Ask(AskFor("late", 1), kNoon + seconds(100));
  Match();
  EXPECT_EQ(StateOfAnswer(late), AnswerState::kGone);
}

TEST_F(ExternalGroupsTest, WithAReservationItWaitsForItsTime) {
  ExternalAsk ask = AskFor("first", 6);
  ask.lifetime = seconds(600);
  AskAndMatch(ask);
  const GroupId second = AskAndMatch(AskFor("second", 2, true));
  const ExternalAnswer answer = external.Look(second);
  EXPECT_EQ(answer.state, AnswerState::kReserved);
  EXPECT_EQ(std::to_string(answer.start), AfterNoon(600));
  ASSERT_EQ(answer.nodes.size(), 1U);
  EXPECT_EQ(answer.nodes[0].pods, 2);

  Match(kNoon + seconds(30));
  EXPECT_EQ(StateOfAnswer(second), AnswerState::kReserved);
  Pass(600);
  Match(kNoon + seconds(601));
  EXPECT_EQ(StateOfAnswer(second), AnswerState::kAllocated);
}

TEST_F(ExternalGroupsTest, WhereNoTimeCanBeGivenThereIsNoReservation) {
  CreateGang("endless", 12);
  ObserveAndPromote();
  Match();
  ASSERT_EQ(StateOf("endless"), "allocated");
  EXPECT_EQ(StateOfAnswer(AskAndMatch(AskFor("second", 2, true))),
            AnswerState::kGone);
  EXPECT_EQ(Ask("SELECT count(*) FROM reservations"), "0");
}

TEST_F(ExternalGroupsTest, TheSameAskedAgainIsTheSameGroup) {
  const auto first = external.Ask(AskFor("train", 3), kNoon);
  const auto again = external.Ask(AskFor("train", 3), kNoon);
  EXPECT_EQ(first->group, again->group);
  EXPECT_EQ(again->asks, 2);
  Match();
  EXPECT_EQ(external.Ask(AskFor("train", 3), kNoon)->group, first->group);
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "3");
}

TEST_F(ExternalGroupsTest, AnotherAskIsAnotherGroup) {
  const GroupId first = AskAndMatch(AskFor("train", 3));
  EXPECT_NE(AskAndMatch(AskFor("train", 2)), first);
  EXPECT_NE(AskAndMatch(AskFor("other", 1)), first);
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "6");
}

TEST_F(ExternalGroupsTest, WithoutANameEachAskIsAGroupOfItsOwn) {
  const GroupId first = AskAndMatch(AskFor("", 1));
  const GroupId second = AskAndMatch(AskFor("", 1));
  EXPECT_NE(first, second);
  EXPECT_EQ(Ask("SELECT group_name FROM pod_groups ORDER BY id"),
            "fluxnetes-match-" + std::to_string(first));
}

TEST_F(ExternalGroupsTest, CancelledItGivesItsNodesBackAndIsHistory) {
  const GroupId group = AskAndMatch(AskFor("train", 6));
  EXPECT_TRUE(external.Cancel(group, "its caller is done"));
  EXPECT_EQ(StateOfAnswer(group), AnswerState::kGone);
  EXPECT_FALSE(external.Cancel(group, "twice"));
  Pass(1);
  EXPECT_EQ(Ask("SELECT count(*) FROM pod_groups"), "0");
  EXPECT_EQ(AskAll("SELECT result, reason, nodes, group_size FROM "
                   "group_history"),
            "cancelled|its caller is done|{n0,n1,n2}|6");
  EXPECT_EQ(StateOfAnswer(AskAndMatch(AskFor("train", 6))),
            AnswerState::kAllocated);
  // What its tasks held, for its usage.
  EXPECT_EQ(AskAll("SELECT p ->> 'name', p ->> 'node', p -> 'resources' ->> "
                   "'cpu' FROM group_history, jsonb_array_elements(pods) AS p "
                   "ORDER BY 1 LIMIT 1"),
            "external-1-0|n0|2.0000000000000000");
}

TEST_F(ExternalGroupsTest, AskedAgainBeforeItsEndIsRecordedItIsAnother) {
  const GroupId group = AskAndMatch(AskFor("train", 3));
  external.Cancel(group, "done");
  EXPECT_NE(Ask(AskFor("train", 3)), group);
}

TEST_F(ExternalGroupsTest, GroupsOfPodsAreNotItsToCancel) {
  CreateGang("pods", 2);
  ObserveAndPromote();
  const auto id = std::stoll(Ask("SELECT id FROM pod_groups"));
  EXPECT_FALSE(external.Cancel(id, "no"));
  EXPECT_FALSE(external.Cancel(id + 1, "no"));
  EXPECT_EQ(StateOf("pods"), "pending queued");
}

TEST_F(ExternalGroupsTest, AfterItsLifetimeItIsOver) {
  ExternalAsk ask = AskFor("train", 6);
  ask.lifetime = hours(48);
  const GroupId group = AskAndMatch(ask);
  Pass(48 * 3600 - 1);
  EXPECT_EQ(StateOfAnswer(group), AnswerState::kAllocated);
  Pass(48 * 3600);
  EXPECT_EQ(StateOfAnswer(group), AnswerState::kGone);
  EXPECT_EQ(Ask("SELECT result FROM group_history"), "timed out");
  EXPECT_EQ(Ask("SELECT reason FROM group_history"),
            "its time was over, and nobody had cancelled it");
}

TEST_F(ExternalGroupsTest, WhoseCallerIsGoneIsNotPlacedLater) {
  const GroupId group = Ask(AskFor("train", 1));
  Pass(32);
  EXPECT_EQ(StateOfAnswer(group), AnswerState::kGone);
  EXPECT_EQ(Ask("SELECT count(*) FROM pod_groups"), "0");
}

TEST_F(ExternalGroupsTest, WithNobodyToMatchItItIsGivenUp) {
  const GroupId group = Ask(AskFor("train", 1));
  StartByDeadlines late(database.pool(), *jobs, {});
  late.RunOnce(kNoon + seconds(32));
  EXPECT_EQ(StateOfAnswer(group), AnswerState::kGone);
  EXPECT_EQ(Jobs("cleanup"), "1");
}

TEST_F(ExternalGroupsTest, WithdrawnItEnds) {
  const auto ticket = external.Ask(AskFor("train", 1), kNoon);
  Match();
  external.Withdraw(*ticket);
  EXPECT_EQ(StateOfAnswer(ticket->group), AnswerState::kGone);
}

TEST_F(ExternalGroupsTest, WithdrawnByOneCallItStaysForAnother) {
  const auto first = external.Ask(AskFor("train", 1), kNoon);
  external.Ask(AskFor("train", 1), kNoon);
  external.Withdraw(*first);
  Match();
  EXPECT_EQ(StateOfAnswer(first->group), AnswerState::kAllocated);
}

TEST_F(ExternalGroupsTest, WithoutThatQueueNothingIsAsked) {
  ExternalAsk ask = AskFor("train", 1);
  ask.queue = "nowhere";
  EXPECT_EQ(external.Ask(ask, kNoon), std::nullopt);
  EXPECT_EQ(Ask("SELECT count(*) FROM external_groups"), "0");
}

TEST_F(ExternalGroupsTest, RestartKeepsWhatItHolds) {
  const GroupId group = AskAndMatch(AskFor("train", 5));
  Restart();
  Match();
  EXPECT_EQ(external.Look(group).nodes,
            (Nodes{{"n0", 2}, {"n1", 2}, {"n2", 1}}));
  EXPECT_EQ(StateOfAnswer(AskAndMatch(AskFor("other", 2))), AnswerState::kGone);
  EXPECT_EQ(StateOfAnswer(AskAndMatch(AskFor("last", 1))),
            AnswerState::kAllocated);
}

TEST_F(ExternalGroupsTest, RestartKeepsWhatItIsPromised) {
  ExternalAsk ask = AskFor("first", 6);
  ask.lifetime = seconds(600);
  AskAndMatch(ask);
  const GroupId second = AskAndMatch(AskFor("second", 2, true));
  const ExternalAnswer before = external.Look(second);
  Restart();
  Match();
  EXPECT_EQ(external.Look(second).state, AnswerState::kReserved);
  EXPECT_EQ(external.Look(second).start, before.start);
}

TEST_F(ExternalGroupsTest, NobodyIsPromisedTheirNodesByEvictingThem) {
  database.Execute("UPDATE queues SET preemption = 'both'");
  const GroupId group = AskAndMatch(AskFor("train", 6));
  Create({.name = "urgent", .priority = 100});
  ObserveAndPromote();
  Match();
  EXPECT_EQ(StateOfAnswer(group), AnswerState::kAllocated);
  EXPECT_EQ(Ask("SELECT count(*) FROM pod_groups WHERE preempted_for IS NOT "
                "NULL"),
            "0");
}

TEST_F(ExternalGroupsTest, QuotaOfItsNamespaceCounts) {
  database.Execute(
      "INSERT INTO accounts (name, namespace, quota) VALUES ('a', 'default', "
      "'{\"cpu\": \"4\"}')");
  EXPECT_EQ(StateOfAnswer(AskAndMatch(AskFor("two", 2))),
            AnswerState::kAllocated);
  EXPECT_EQ(StateOfAnswer(AskAndMatch(AskFor("more", 1))), AnswerState::kGone);
}

TEST_F(ExternalGroupsTest, PodsOfThatNameAreAGroupOfTheirOwn) {
  const GroupId group = AskAndMatch(AskFor("train", 2));
  CreateGang("train", 2);
  ObserveAndPromote();
  Match();
  EXPECT_EQ(StateOfAnswer(group), AnswerState::kAllocated);
  EXPECT_EQ(AskAll("SELECT state, group_size FROM pod_groups ORDER BY id"),
            "allocated|2\nallocated|2");
}

TEST_F(ExternalGroupsTest, GroupOfThatNameIsCancelledAsOthersAre) {
  const GroupId group = AskAndMatch(AskFor("train", 2));
  EXPECT_EQ(CancelGroup(database.pool(), "default", "train", "by hand", kNoon),
            1);
  EXPECT_EQ(StateOfAnswer(group), AnswerState::kGone);
  Pass(1);
  EXPECT_EQ(Ask("SELECT reason FROM group_history"), "by hand");
}

}  // namespace
}  // namespace fluxnetes::workers
