#include "tests/workers/support/start_fixture.h"

namespace fluxnetes::workers {
namespace {

using ::testing::HasSubstr;

using HoldTest = StartTest;

TEST_F(HoldTest, HeldGroupIsNotPlacedAndKeepsItsAge) {
  CreateGang("train", 2);
  ObserveAndPromote();
  EXPECT_EQ(Hold("train", "the data is not there"), HoldOutcome::kDone);
  CreateGang("later", 2);
  Pass(0);
  EXPECT_EQ(StateOf("train"), "pending held");
  EXPECT_EQ(StateOf("later"), "allocated");
  EXPECT_EQ(ReasonOf("train"), "held: the data is not there");
  const std::string age =
      "SELECT submitted_at FROM pod_groups WHERE "
      "group_name = 'train'";
  const std::string before = Ask(age);
  EXPECT_EQ(Release("train"), HoldOutcome::kDone);
  EXPECT_EQ(StateOf("train"), "pending queued");
  Pass(0);
  EXPECT_EQ(StateOf("train"), "allocated");
  EXPECT_EQ(Ask(age), before);
  EXPECT_EQ(
      Ask("SELECT held_at IS NULL AND held_reason IS NULL FROM pod_groups "
          "WHERE group_name = 'train'"),
      "t");
}

TEST_F(HoldTest, HoldOutlivesTheProcess) {
  CreateGang("train", 2);
  ObserveAndPromote();
  Hold("train");
  Pass(0);
  Restart();
  Pass(0);
  EXPECT_EQ(StateOf("train"), "pending held");
  Release("train");
  Restart();
  Pass(0);
  EXPECT_EQ(StateOf("train"), "allocated");
}

TEST_F(HoldTest, ReservationOfAHeldGroupIsGivenUpAtOnce) {
  for (const char* node : {"n0", "n1", "n2"}) SetNode(node, 1'000);
  CreateGang("first", 2);
  CreateGang("second", 2);
  CreateGang("small", 1);
  Pass(0);
  ASSERT_EQ(StateOf("second"), "pending reserved");
  ASSERT_EQ(StateOf("small"), "pending queued");
  Hold("second");
  EXPECT_EQ(Ask("SELECT count(*) FROM reservations"), "0");
  EXPECT_EQ(StateOf("second"), "pending held");
  Pass(0);
  EXPECT_EQ(StateOf("small"), "allocated");
  EXPECT_EQ(StateOf("second"), "pending held");
}

// The decision is made before the hold, and committed after it.
TEST_F(HoldTest, PlacementThatIsBeingDecidedIsRefused) {
  CreateGang("train", 2);
  ObserveAndPromote();
  Schedule schedule;
  MatchProcess other(database.pool(), *jobs, *cache);
  ASSERT_TRUE(other.store.Acquire());
  MatchStore::News news = other.store.Load(schedule.requests());
  while (news.waiting.empty()) news = other.store.Take(schedule.requests(), {});
  const PendingGroup& group = news.waiting[0];
  Decision decision;
  Placed placed{group.id,     group.revision,
                group.job_id, group.job_attempt,
                group.queue,  0,
                {},           {}};
  for (const Member& member : group.members)
    placed.members.push_back({member.uid, "n0", member.request});
  decision.placed.push_back(placed);
  decision.reserved.push_back({group.id, "default", 7, {"n0"}});
  decision.verdicts.push_back({group.id, group.revision, true, "huge", ""});
  Hold("train");
  EXPECT_THAT(other.store.Commit(decision, kNoon),
              ::testing::ElementsAre(group.id));
  EXPECT_EQ(StateOf("train"), "pending held");
  EXPECT_EQ(Ask("SELECT count(*) FROM reservations"), "0");
  EXPECT_EQ(Ask("SELECT count(*) FROM allocations"), "0");
  EXPECT_EQ(other.store.Take(schedule.requests(), {}).waiting.size(), 1U);
}

TEST_F(HoldTest, GroupThatHasItsNodesCannotBeHeld) {
  Place("train", 2);
  EXPECT_EQ(Hold("train"), HoldOutcome::kStarted);
  EXPECT_THROW(database.Execute("UPDATE pod_groups SET held_at = now()"),
               std::exception);
  BindPlaced();
  Observe();
  EXPECT_EQ(Hold("train"), HoldOutcome::kStarted);
  EXPECT_EQ(Release("train"), HoldOutcome::kNotHeld);
  EXPECT_EQ(StateOf("train"), "bound");
  EXPECT_EQ(Hold("nobody"), HoldOutcome::kUnknown);
  EXPECT_EQ(Release("nobody"), HoldOutcome::kUnknown);
}

// A member that runs already is left alone; the others follow it.
TEST_F(HoldTest, GroupThatIsBoundInPartCannotBeHeld) {
  Run("train", 2);
  database.Execute("UPDATE pod_groups SET state = 'pending', phase = 'queued'");
  EXPECT_EQ(Hold("train"), HoldOutcome::kStarted);
}

TEST_F(HoldTest, GroupThatFillsIsHeldWhenItIsWhole) {
  CreateGang("train", 2, 1);
  Observe();
  EXPECT_EQ(Hold("train", "not yet"), HoldOutcome::kDone);
  EXPECT_EQ(Ask("SELECT reason FROM inactive_groups"),
            "held: not yet; 1 of 2 pods have arrived");
  Create({.name = "train-1", .group = "train", .size = 2, .owner = "train"});
  Pass(0);
  EXPECT_EQ(StateOf("train"), "pending held");
  EXPECT_EQ(ReasonOf("train"), "held: not yet");
}

TEST_F(HoldTest, GroupThatLosesAPodStaysHeld) {
  CreateGang("train", 2);
  ObserveAndPromote();
  Hold("train", "not yet");
  door.Remove("default/train-0");
  Pass(0);
  EXPECT_EQ(Filling("train"), "1/2");
  EXPECT_EQ(Ask("SELECT held_reason FROM groups_provisional"), "not yet");
  Create({.name = "train-0", .group = "train", .size = 2, .owner = "train"});
  Pass(0);
  EXPECT_EQ(StateOf("train"), "pending held");
}

TEST_F(HoldTest, GroupWhosePodsAreAllRefusedForAMomentStaysHeld) {
  CreateGang("train", 2);
  ObserveAndPromote();
  Hold("train", "not yet");
  Relabel("train", "fluxnetes.queue", "nowhere");
  Pass(0);
  EXPECT_EQ(Filling("train"), "0/2");
  EXPECT_THAT(
      Ask("SELECT reason FROM inactive_groups"),
      ::testing::StartsWith("held: not yet; 0 of 2 pods have arrived; pod "
                            "train-0 is refused: queue \"nowhere\""));
  Relabel("train", "fluxnetes.queue", std::nullopt);
  Pass(0);
  EXPECT_EQ(StateOf("train"), "pending held");
  EXPECT_EQ(ReasonOf("train"), "held: not yet");
}

TEST_F(HoldTest, HeldGroupWhosePodsAreRefusedAndDeletedIsOver) {
  CreateGang("train", 2);
  Observe();
  Hold("train");
  Relabel("train", "fluxnetes.queue", "nowhere");
  Pass(0);
  for (const char* pod : {"default/train-0", "default/train-1"})
    door.Remove(pod);
  Pass(0);
  EXPECT_EQ(Ask("SELECT count(*) FROM groups_provisional"), "0");
  EXPECT_EQ(Ask("SELECT result FROM group_history"), "cancelled");
}

TEST_F(HoldTest, HeldGroupWhosePodsAreAllDeletedIsOver) {
  CreateGang("train", 2);
  ObserveAndPromote();
  Hold("train");
  door.owners.clear();
  for (const char* pod : {"default/train-0", "default/train-1"})
    door.Remove(pod);
  Pass(0);
  EXPECT_EQ(Ask("SELECT count(*) FROM pod_groups"), "0");
  EXPECT_EQ(Ask("SELECT count(*) FROM groups_provisional"), "0");
  EXPECT_EQ(Ask("SELECT result FROM group_history"), "cancelled");
}

TEST_F(HoldTest, GroupIsHeldByItsLabelUntilItIsReleased) {
  CreateMarked("train", {{"fluxnetes.hold", "true"}});
  Pass(0);
  EXPECT_EQ(StateOf("train"), "pending held");
  EXPECT_EQ(ReasonOf("train"), "held by the label fluxnetes.hold of its pods");
  EXPECT_EQ(Release("train"), HoldOutcome::kDone);
  EXPECT_EQ(Release("train"), HoldOutcome::kNotHeld);
  Pass(0);
  EXPECT_EQ(StateOf("train"), "allocated");
}

// The released hold was not the label's.
TEST_F(HoldTest, LabelHoldsAfterAReleaseThatWasNotOfIt) {
  for (const char* node : {"n0", "n1", "n2"}) SetNode(node, 100);
  CreateGang("train", 2);
  CreateGang("fills", 2, 1);
  ObserveAndPromote();
  for (const char* group : {"train", "fills"}) {
    Hold(group);
    EXPECT_EQ(Release(group), HoldOutcome::kDone);
  }
  Pass(0);
  ASSERT_NE(StateOf("train"), "pending held");
  Relabel("train", "fluxnetes.hold", "true");
  CreateMarked("fills", {{"fluxnetes.hold", "true"}}, 1);
  Pass(0);
  EXPECT_EQ(StateOf("train"), "pending held");
  EXPECT_EQ(StateOf("fills"), "pending held");
}

TEST_F(HoldTest, LabelThatIsSetAgainAfterAReleaseHolds) {
  for (const char* node : {"n0", "n1", "n2"}) SetNode(node, 100);
  CreateMarked("train", {{"fluxnetes.hold", "true"}});
  Pass(0);
  EXPECT_EQ(Release("train"), HoldOutcome::kDone);
  Relabel("train", "fluxnetes.hold", std::nullopt);
  Pass(0);
  ASSERT_EQ(StateOf("train"), "unsatisfiable");
  Relabel("train", "fluxnetes.hold", "true");
  Pass(0);
  EXPECT_EQ(StateOf("train"), "pending held");
}

TEST_F(HoldTest, ReleasedGroupThatLosesAPodStaysReleased) {
  CreateMarked("train", {{"fluxnetes.hold", "true"},
                         {"fluxnetes.start-after", AfterNoon(60)}});
  Pass(0);
  Release("train");
  door.Remove("default/train-0");
  Pass(0);
  CreateMarked(
      "train",
      {{"fluxnetes.hold", "true"}, {"fluxnetes.start-after", AfterNoon(60)}},
      1);
  Pass(0);
  EXPECT_EQ(StateOf("train"), "pending deferred");
}

TEST_F(HoldTest, GroupIsReleasedWhenTheLabelIsTakenOffAllItsPods) {
  CreateMarked("train", {{"fluxnetes.hold", "true"}});
  Pass(0);
  door.ChangePod("default/train-0",
                 [](cluster::Pod& pod) { pod.labels.erase("fluxnetes.hold"); });
  Pass(0);
  EXPECT_EQ(StateOf("train"), "pending held") << "one pod says so still";
  Relabel("train", "fluxnetes.hold", std::nullopt);
  Pass(0);
  EXPECT_EQ(StateOf("train"), "allocated");
}

TEST_F(HoldTest, LabelHoldsAGroupThatWaitsAndOneThatHasItsNodes) {
  for (const char* node : {"n0", "n1", "n2"}) SetNode(node, 1'000);
  Place("first", 2);
  CreateGang("second", 2);
  Pass(0);
  ASSERT_EQ(StateOf("second"), "pending reserved");
  Relabel("second", "fluxnetes.hold", "true");
  Pass(0);
  EXPECT_EQ(StateOf("second"), "pending held");
  // Its binding may be under way: the group is recalled first.
  Relabel("first", "fluxnetes.hold", "true");
  Pass(0);
  EXPECT_EQ(StateOf("first"), "pending held");
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "0");
}

// An update of the column by SQL is enough.
TEST_F(HoldTest, EditOfTheRowHolds) {
  CreateGang("train", 2);
  ObserveAndPromote();
  database.Execute(
      "UPDATE pod_groups SET held_at = now(), held_reason = 'by hand'");
  Pass(0);
  EXPECT_EQ(StateOf("train"), "pending held");
  EXPECT_EQ(ReasonOf("train"), "held: by hand");
  database.Execute("UPDATE pod_groups SET held_reason = 'still'");
  EXPECT_EQ(ReasonOf("train"), "held: still");
  database.Execute("UPDATE pod_groups SET held_at = NULL");
  Pass(0);
  EXPECT_EQ(StateOf("train"), "allocated");
}

// No replica of the match could read such a time.
TEST_F(HoldTest, TimeThatNeverComesIsRefused) {
  CreateGang("train", 2);
  CreateGang("fills", 2, 1);
  ObserveAndPromote();
  for (const char* table : {"pod_groups", "groups_provisional"})
    for (const char* column :
         {"start_after", "start_by", "held_at", "released_at"})
      EXPECT_THROW(database.Execute(std::string("UPDATE ") + table + " SET " +
                                    column + " = 'infinity'"),
                   std::exception)
          << table << " " << column;
}

TEST_F(HoldTest, PodBeyondAHeldGroupIsHeldToo) {
  CreateGang("train", 2);
  ObserveAndPromote();
  Hold("train", "not yet");
  Create({.name = "more", .group = "train", .size = 2, .owner = "train"});
  Pass(0);
  EXPECT_EQ(StateOf("fluxnetes-group-default-more"), "pending held");
  EXPECT_EQ(ReasonOf("fluxnetes-group-default-more"), "held: not yet");
}

// A pod without a group of its own is a group of one by its name. When its
// labels change, or the group that it extends is gathered anew, that group
// ends.
TEST_F(HoldTest, PodThatIsHeldAloneStaysHeldInTheGroupThatItJoins) {
  Create({.name = "solo"});
  ObserveAndPromote();
  Hold("fluxnetes-group-default-solo", "not yet");
  door.ChangePod("default/solo", [](cluster::Pod& pod) {
    pod.labels["fluxnetes.group-name"] = "train";
    pod.labels["fluxnetes.group-size"] = "2";
  });
  Pass(0);
  EXPECT_EQ(Ask("SELECT string_agg(group_name, ',') FROM groups_provisional"),
            "train");
  EXPECT_EQ(Ask("SELECT reason FROM inactive_groups"),
            "held: not yet; 1 of 2 pods have arrived");
  Create({.name = "other", .group = "train", .size = 2});
  Pass(0);
  EXPECT_EQ(StateOf("train"), "pending held");
  EXPECT_EQ(ReasonOf("train"), "held: not yet");
  EXPECT_EQ(Release("train"), HoldOutcome::kDone);
  Pass(0);
  EXPECT_EQ(StateOf("train"), "allocated");
}

TEST_F(HoldTest, PodThatIsHeldBeyondItsGroupStaysHeldWhenItsLabelsChange) {
  for (const char* refused_first : {"", "nowhere"}) {
    const std::string gang = std::string("train") + refused_first;
    Place(gang, 2);
    Create({.name = gang + "-more", .group = gang, .size = 2, .owner = gang});
    ObserveAndPromote();
    Hold("fluxnetes-group-default-" + gang + "-more", "not yet");
    const auto label = [&](const std::string& key, const std::string& value) {
      door.ChangePod("default/" + gang + "-more",
                     [&](cluster::Pod& pod) { pod.labels[key] = value; });
      Pass(0);
    };
    if (*refused_first != 0) label("fluxnetes.queue", refused_first);
    label("fluxnetes.queue", "default");
    label("fluxnetes.start-after", AfterNoon(-60));
    EXPECT_EQ(Ask("SELECT held_reason FROM groups_provisional WHERE "
                  "group_name = '" +
                  gang + "'"),
              "not yet");
    Create({.name = gang + "-most", .group = gang, .size = 2, .owner = "next"});
    door.ChangePod("default/" + gang + "-most", [&](cluster::Pod& pod) {
      pod.labels["fluxnetes.start-after"] = AfterNoon(-60);
    });
    Pass(0);
    EXPECT_EQ(Ask("SELECT string_agg(phase, ',') FROM pod_groups WHERE "
                  "group_name = '" +
                  gang + "' AND state = 'pending'"),
              "held");
  }
}

TEST_F(HoldTest, ReleaseOfAPodAloneLastsInTheGroupThatItJoins) {
  Create({.name = "solo"});
  door.ChangePod("default/solo", [](cluster::Pod& pod) {
    pod.labels["fluxnetes.hold"] = "true";
  });
  ObserveAndPromote();
  ASSERT_EQ(Release("fluxnetes-group-default-solo"), HoldOutcome::kDone);
  door.ChangePod("default/solo", [](cluster::Pod& pod) {
    pod.labels["fluxnetes.group-name"] = "train";
    pod.labels["fluxnetes.group-size"] = "2";
  });
  Create({.name = "other", .group = "train", .size = 2});
  Pass(0);
  EXPECT_EQ(StateOf("train"), "allocated");
}

TEST_F(HoldTest, PodsOfAHeldGroupAreToldAndNoNodeIsMadeForThem) {
  CreateGang("train", 2);
  ObserveAndPromote();
  Hold("train", "the data is not there");
  Pass(0);
  WaitNews news(database.pool(), door, binding_ledger, {});
  const auto tell = [&](int seconds) {
    while (news.RunOnce(kNoon + std::chrono::seconds(seconds))) {
    }
  };
  tell(6);
  ASSERT_EQ(door.conditions.size(), 2U);
  EXPECT_EQ(door.conditions[0].message, "held: the data is not there");
  EXPECT_EQ(door.conditions[0].reason, "SchedulingGated");
  ASSERT_EQ(door.events.size(), 1U);
  tell(3'600);
  EXPECT_EQ(door.events.size(), 1U);
}

// A pod that was bound by others runs, and so does its group.
TEST_F(HoldTest, HoldIsVoidOnceAPodOfTheGroupIsBound) {
  CreateGang("train", 2);
  ObserveAndPromote();
  Hold("train");
  Pass(0);
  door.ChangePod("default/train-0", [](cluster::Pod& pod) {
    pod.node_name = "n1";
    pod.phase = cluster::PodPhase::kRunning;
  });
  Pass(0);
  EXPECT_EQ(StateOf("train"), "allocated");
}

}  // namespace
}  // namespace fluxnetes::workers
