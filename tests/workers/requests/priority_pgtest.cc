#include <gtest/gtest.h>

#include "tests/workers/support/start_fixture.h"
#include "workers/requests/priority.h"

namespace fluxnetes::workers {
namespace {

class PriorityTest : public StartTest {
 protected:
  PriorityChange Set(const std::string& group,
                     std::optional<std::int32_t> priority,
                     bool may_raise = true) {
    sql::Transaction transaction(database.pool());
    const auto change =
        SetPriority(transaction, "default", group, priority, may_raise);
    if (change.outcome == PriorityOutcome::kDone) transaction.Commit();
    return change;
  }

  std::string PriorityIn(const std::string& group) {
    return Ask("SELECT priority FROM pod_groups WHERE group_name = '" + group +
               "'");
  }

  // Two gangs of which one fits, in this order.
  void CreateTwo() {
    for (const char* node : {"n0", "n1", "n2"}) SetNode(node, 1'000);
    CreateGang("first", 2);
    CreateGang("second", 2);
    ObserveAndPromote();
  }
};

TEST_F(PriorityTest, RaisedGroupGoesFirst) {
  CreateTwo();
  const auto change = Set("second", 7);
  EXPECT_EQ(change.outcome, PriorityOutcome::kDone);
  EXPECT_EQ(change.priority, 7);
  Pass(0);
  EXPECT_EQ(StateOf("second"), "allocated");
  EXPECT_NE(StateOf("first"), "allocated");
}

TEST_F(PriorityTest, GroupAlreadyInLineMovesInIt) {
  for (const char* node : {"n0", "n1", "n2"}) SetNode(node, 1'000);
  CreateGang("runs", 2);
  CreateGang("first", 2);
  CreateGang("second", 2);
  Pass(0);
  ASSERT_EQ(StateOf("runs"), "allocated");
  ASSERT_EQ(StateOf("first"), "pending reserved");
  Set("second", 1);
  Pass(0);
  EXPECT_EQ(StateOf("second"), "pending reserved");
  EXPECT_EQ(StateOf("first"), "pending queued");
  Set("second", -1);
  Pass(0);
  EXPECT_EQ(StateOf("first"), "pending reserved");
}

TEST_F(PriorityTest, OutlivesTheProcessAndCanBeTakenBack) {
  CreateTwo();
  Set("second", 7);
  Restart();
  Pass(0);
  EXPECT_EQ(StateOf("second"), "allocated");
  EXPECT_EQ(Set("second", 1).outcome, PriorityOutcome::kStarted);
  Set("first", 3);
  EXPECT_EQ(PriorityIn("first"), "3");
  EXPECT_EQ(Set("first", std::nullopt).priority, 0);
  EXPECT_EQ(PriorityIn("first"), "0");
  EXPECT_EQ(Ask("SELECT pods_priority IS NULL FROM pod_groups WHERE "
                "group_name = 'first'"),
            "t");
}

TEST_F(PriorityTest, FillingGroupKeepsItWhenItIsWhole) {
  CreateGang("train", 2, 1);
  ObserveAndPromote();
  EXPECT_EQ(Set("train", 4).outcome, PriorityOutcome::kDone);
  Create({.name = "train-1", .group = "train", .size = 2, .owner = "train"});
  ObserveAndPromote();
  EXPECT_EQ(PriorityIn("train"), "4");
  EXPECT_EQ(Set("train", std::nullopt).priority, 0);
}

TEST_F(PriorityTest, FillingGroupThatLosesItsPodsIsRecordedWithIt) {
  CreateGang("train", 2, 1);
  door.ChangePod("default/train-0",
                 [](cluster::Pod& pod) { pod.priority = 3; });
  CreateGang("other", 2, 1);
  door.ChangePod("default/other-0",
                 [](cluster::Pod& pod) { pod.priority = 5; });
  ObserveAndPromote();
  EXPECT_EQ(Set("train", 9).of_pods, 3);
  door.Remove("default/train-0");
  door.Remove("default/other-0");
  ObserveAndPromote();
  EXPECT_EQ(Ask("SELECT string_agg(group_name || ' ' || priority, ', ' "
                "ORDER BY group_name) FROM group_history"),
            "other 5, train 9");
  // A new group of the name has that of its pods.
  CreateGang("train", 2);
  ObserveAndPromote();
  EXPECT_EQ(PriorityIn("train"), "0");
}

TEST_F(PriorityTest, FillingGroupKeepsItWhileItsPodsAreRefused) {
  CreateGang("train", 2, 1);
  ObserveAndPromote();
  Set("train", 4);
  const auto ask_for = [this](const std::string& queue) {
    door.ChangePod("default/train-0", [&](cluster::Pod& pod) {
      pod.labels["fluxnetes.queue"] = queue;
    });
    ObserveAndPromote();
  };
  ask_for("nowhere");
  EXPECT_EQ(Ask("SELECT members || ' ' || set_priority FROM "
                "groups_provisional"),
            "0 4");
  ask_for("default");
  Create({.name = "train-1", .group = "train", .size = 2, .owner = "train"});
  ObserveAndPromote();
  EXPECT_EQ(PriorityIn("train"), "4");
}

TEST_F(PriorityTest, WhoMayNotRaiseItMayLowerIt) {
  CreateTwo();
  const auto refused = Set("first", 1, /*may_raise=*/false);
  EXPECT_EQ(refused.outcome, PriorityOutcome::kTooHigh);
  EXPECT_EQ(refused.of_pods, 0);
  EXPECT_EQ(PriorityIn("first"), "0");
  EXPECT_EQ(Set("first", -5, false).outcome, PriorityOutcome::kDone);
  // The pods' priority counts, not the lowered one.
  EXPECT_EQ(Set("first", 0, false).outcome, PriorityOutcome::kDone);
  EXPECT_EQ(Set("nothing", 0).outcome, PriorityOutcome::kUnknown);
}

}  // namespace
}  // namespace fluxnetes::workers
