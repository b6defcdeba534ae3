#include "tests/workers/support/lifecycle_fixture.h"
#include "workers/intake/intake_groups.h"

namespace fluxnetes::workers {
namespace {

// Active groups whose pods are bound, end and change.
class IntakeGroupsTest : public LifecycleTest {
 protected:
  void CreateAndPromote(const std::string& name, int size) {
    CreateGang(name, size);
    ObserveAndPromote();
    database.Execute("DELETE FROM jobs; DELETE FROM match_inbox");
  }

  std::string News() {
    return AskAll(
        "SELECT news, coalesce(pod_uid, '') FROM match_inbox ORDER BY id");
  }
};

TEST_F(IntakeGroupsTest, BoundPodsMakeTheirGroupBound) {
  CreateAndPromote("train", 2);
  Allocate("train");
  Bind("train");
  Observe(kNoon + std::chrono::seconds(5));
  EXPECT_EQ(StateOf("train"), "bound");
  EXPECT_EQ(AskAll("SELECT state, node_name FROM pods"), "bound|n0\nbound|n0");
  EXPECT_EQ(Ask("SELECT bound_at = '" +
                *sql::Parameter(kNoon + std::chrono::seconds(5)).text() +
                "' FROM pod_groups"),
            "t");
  EXPECT_EQ(News(), "");
}

TEST_F(IntakeGroupsTest, GroupBoundInPartWaitsForTheBinder) {
  CreateAndPromote("train", 2);
  Allocate("train");
  door.ChangePod("default/train-0",
                 [](cluster::Pod& pod) { pod.node_name = "n0"; });
  Observe();
  EXPECT_EQ(StateOf("train"), "allocated");
  EXPECT_EQ(Ask("SELECT revision FROM pod_groups"), "1");
}

TEST_F(IntakeGroupsTest, NodeIsTheOneThatKubernetesSays) {
  CreateAndPromote("train", 1);
  Allocate("train", "n0");
  door.ChangePod("default/train-0",
                 [](cluster::Pod& pod) { pod.node_name = "n2"; });
  Observe();
  EXPECT_EQ(Ask("SELECT node_name FROM placements"), "n2");
  EXPECT_EQ(Ask("SELECT 'n2' = any(nodes) FROM allocations"), "t");
  EXPECT_EQ(StateOf("train"), "bound");
  EXPECT_EQ(News(), "changed|");
}

TEST_F(IntakeGroupsTest, PendingPodThatOthersBindIsChargedAndTheRestGoesFirst) {
  CreateAndPromote("train", 2);
  door.ChangePod("default/train-0",
                 [](cluster::Pod& pod) { pod.node_name = "n1"; });
  Observe();
  EXPECT_EQ(AskAll("SELECT node_name, cpu_milli FROM placements"), "n1|1000");
  EXPECT_EQ(AskAll("SELECT state, phase, first_in_line, revision "
                   "FROM pod_groups"),
            "pending|queued|t|2");
  EXPECT_EQ(News(), "changed|");
  door.ChangePod("default/train-1",
                 [](cluster::Pod& pod) { pod.node_name = "n1"; });
  Observe();
  EXPECT_EQ(StateOf("train"), "bound");
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "2");
}

TEST_F(IntakeGroupsTest, PendingGroupThatLosesAMemberIsProvisionalAgain) {
  CreateAndPromote("train", 3);
  const std::string before = Ask("SELECT id FROM pod_groups");
  door.Remove("default/train-1");
  ObserveAndPromote();
  EXPECT_EQ(Filling("train"), "2/3");
  EXPECT_EQ(Ask("SELECT count(*) FROM pod_groups"), "0");
  EXPECT_EQ(Ask("SELECT count(*) FROM pods"), "0");
  EXPECT_EQ(News(), "changed|");
  Create({.name = "again", .group = "train", .size = 3, .owner = "train"});
  ObserveAndPromote();
  EXPECT_EQ(StateOf("train"), "pending queued");
  EXPECT_NE(Ask("SELECT id FROM pod_groups"), before);
}

TEST_F(IntakeGroupsTest, UnsatisfiableGroupThatLosesAMemberIsProvisionalAgain) {
  CreateAndPromote("train", 2);
  database.Execute(
      "UPDATE pod_groups SET state = 'unsatisfiable', phase = NULL");
  door.Remove("default/train-1");
  Observe();
  EXPECT_EQ(Filling("train"), "1/2");
}

TEST_F(IntakeGroupsTest, RelabelledPodLeavesItsPendingGroupForAnother) {
  CreateAndPromote("x", 2);
  Create({.name = "c", .group = "y", .size = 2});
  Observe();
  door.ChangePod("default/x-0", [](cluster::Pod& pod) {
    pod.labels["fluxnetes.group-name"] = "y";
  });
  ObserveAndPromote();
  EXPECT_EQ(Filling("x"), "1/2");
  EXPECT_EQ(StateOf("y"), "pending queued");
}

TEST_F(IntakeGroupsTest, ChangedSizeLabelSendsThePendingGroupBack) {
  CreateAndPromote("x", 2);
  for (const char* key : {"default/x-0", "default/x-1"})
    door.ChangePod(key, [](cluster::Pod& pod) {
      pod.labels["fluxnetes.group-size"] = "3";
    });
  ObserveAndPromote();
  EXPECT_EQ(Filling("x"), "2/3");
}

TEST_F(IntakeGroupsTest, ChangeWithoutMeaningLeavesTheGroupAlone) {
  CreateAndPromote("x", 2);
  door.ChangePod("default/x-0",
                 [](cluster::Pod& pod) { pod.labels["app"] = "new"; });
  Observe();
  EXPECT_EQ(AskAll("SELECT state, revision FROM pod_groups"), "pending|1");
  EXPECT_EQ(Ask("SELECT resource_version FROM pods WHERE pod_name = 'x-0'"),
            door.PodOf("default/x-0").resource_version);
  EXPECT_EQ(News(), "");
}

TEST_F(IntakeGroupsTest, SurplusPodIsNotTakenForARelabelledOne) {
  CreateGang("train", 2, 3);
  ObserveAndPromote();
  door.ChangePod("default/train-2", [](cluster::Pod&) {});
  Observe();
  StartIntake();
  ObserveAndPromote();
  EXPECT_EQ(AskAll("SELECT group_name, revision FROM pod_groups "
                   "ORDER BY group_name"),
            "fluxnetes-group-default-train-2|1\ntrain|1");
}

TEST_F(IntakeGroupsTest, LabelsOfABoundGroupChangeNothing) {
  Run("train", 2);
  door.ChangePod("default/train-0", [](cluster::Pod& pod) {
    pod.labels["fluxnetes.group-name"] = "other";
  });
  Observe();
  EXPECT_EQ(StateOf("train"), "bound");
  EXPECT_EQ(Filling("other"), "");
}

TEST_F(IntakeGroupsTest, AllocatedGroupThatLosesAMemberGoesBackWhole) {
  CreateAndPromote("train", 3);
  Allocate("train");
  door.Remove("default/train-1");
  ObserveAndPromote();
  EXPECT_THAT(door.touched,
              ::testing::ElementsAre("default/train-0", "default/train-2"));
  EXPECT_EQ(Filling("train"), "2/3");
  EXPECT_EQ(Ask("SELECT count(*) FROM allocations"), "0");
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "0");
  EXPECT_EQ(News(), "changed|");
}

TEST_F(IntakeGroupsTest, BindingUnderWayMeetsAConflictOnceTheGroupWentBack) {
  CreateAndPromote("train", 2);
  Allocate("train");
  const cluster::Pod pod = door.PodOf("default/train-0");
  door.Remove("default/train-1");
  Observe();
  const cluster::Binding late{"default", "train-0", pod.uid,
                              pod.resource_version, "n0"};
  EXPECT_EQ(door.Bind({&late, 1}, {}).front().outcome,
            cluster::BindOutcome::kConflict);
}

TEST_F(IntakeGroupsTest, BindingThatWonTheRaceKeepsTheGroupOnItsNodes) {
  CreateAndPromote("train", 3);
  Allocate("train");
  door.Remove("default/train-1");
  door.LoseEvents();  // of the binding, until after the release of the places
  door.ChangePod("default/train-0",
                 [](cluster::Pod& pod) { pod.node_name = "n0"; });
  Observe();
  EXPECT_EQ(StateOf("train"), "allocated");
  EXPECT_EQ(AskAll("SELECT pod_name, state FROM pods ORDER BY pod_name"),
            "train-0|bound\ntrain-1|deleted\ntrain-2|waiting");
  EXPECT_EQ(Ask("SELECT (j.args ->> 'revision')::int = g.revision FROM jobs j, "
                "pod_groups g WHERE j.kind = 'bind'"),
            "t");
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "3");
}

TEST_F(IntakeGroupsTest, ReplacementThatCameWhileTheGroupWasHeldIsReceived) {
  CreateAndPromote("train", 3);
  Allocate("train");
  door.Remove("default/train-1");
  Create({.name = "late", .group = "train", .size = 3, .owner = "train"});
  door.LoseEvents();  // of a binding
  door.ChangePod("default/train-0",
                 [](cluster::Pod& pod) { pod.node_name = "n0"; });
  ObserveAndPromote();
  EXPECT_EQ(Filling("train"), "");
  EXPECT_EQ(AskAll("SELECT pod_name, state FROM pods ORDER BY created_at"),
            "train-0|bound\ntrain-1|deleted\ntrain-2|waiting\nlate|waiting");
  EXPECT_EQ(Ask("SELECT count(*) FROM pods WHERE replaced_by IS NOT NULL"),
            "1");
}

TEST_F(IntakeGroupsTest, HeldGroupIsTakenBackWhenTheClusterIsThereAgain) {
  CreateAndPromote("train", 2);
  Allocate("train");
  door.Remove("default/train-1");
  door.reachable = false;
  EXPECT_THROW(Observe(), cluster::Unreachable);
  EXPECT_EQ(StateOf("train"), "pending recalled");
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "2");
  door.reachable = true;
  StartIntake();  // as after a crash
  Observe();
  EXPECT_EQ(Filling("train"), "1/2");
}

TEST_F(IntakeGroupsTest, HeldGroupThatTheClusterRefusesToTouchHoldsUpNoOther) {
  for (const char* group : {"first", "second"}) {
    CreateAndPromote(group, 2);
    Allocate(group);
  }
  door.Remove("default/first-1");
  door.Remove("default/second-1");
  door.refuses_touches = "first";
  EXPECT_THROW(Observe(), cluster::Refused);
  EXPECT_EQ(StateOf("first"), "pending recalled");
  EXPECT_EQ(Filling("second"), "1/2");
  door.refuses_touches.reset();
  Observe();
  EXPECT_EQ(Filling("first"), "1/2");
}

TEST_F(IntakeGroupsTest, PendingGroupWithoutPodsIsAbandoned) {
  CreateAndPromote("train", 2);
  door.Remove("default/train-0");
  door.Remove("default/train-1");
  Observe();
  EXPECT_EQ(AskAll("SELECT cancel_reason, revision FROM pod_groups"),
            "its pods were deleted before it could start|2");
  EXPECT_EQ(Jobs("cleanup"), "1");
  EXPECT_EQ(News(), "changed|");
}

TEST_F(IntakeGroupsTest, EndsAreNotedWithOneCleanupJobPerGroup) {
  Run("train", 3);
  door.End("default/train-0", cluster::PodPhase::kSucceeded);
  door.End("default/train-1", cluster::PodPhase::kFailed);
  door.Remove("default/train-2");
  Observe(kNoon + std::chrono::seconds(9));
  EXPECT_EQ(AskAll("SELECT pod_name, state FROM pods ORDER BY pod_name"),
            "train-0|succeeded\ntrain-1|failed\ntrain-2|deleted");
  EXPECT_EQ(Ask("SELECT count(DISTINCT ended_at) FROM pods"), "1");
  EXPECT_EQ(Jobs("cleanup"), "1");
  door.Remove("default/train-0");
  Observe();
  EXPECT_EQ(Ask("SELECT state FROM pods WHERE pod_name = 'train-0'"),
            "succeeded");
  EXPECT_EQ(Jobs("cleanup"), "1");
}

TEST_F(IntakeGroupsTest, TerminatingPodThatIsUnboundCountsAsGone) {
  CreateAndPromote("train", 2);
  door.ChangePod("default/train-0",
                 [](cluster::Pod& pod) { pod.terminating = true; });
  Observe();
  EXPECT_EQ(Filling("train"), "1/2");
}

TEST_F(IntakeGroupsTest, TerminatingPodThatRunsKeepsItsPlace) {
  Run("train", 1);
  door.ChangePod("default/train-0",
                 [](cluster::Pod& pod) { pod.terminating = true; });
  Observe();
  EXPECT_EQ(Ask("SELECT state FROM pods"), "bound");
}

TEST_F(IntakeGroupsTest, EndsWhileItWasAwayAreFoundByAComparison) {
  Run("train", 2);
  door.LoseEvents();
  door.Remove("default/train-0");
  door.End("default/train-1", cluster::PodPhase::kSucceeded);
  StartIntake();
  door.List();
  Observe();
  EXPECT_EQ(AskAll("SELECT pod_name, state FROM pods ORDER BY pod_name"),
            "train-0|deleted\ntrain-1|succeeded");
}

}  // namespace
}  // namespace fluxnetes::workers
