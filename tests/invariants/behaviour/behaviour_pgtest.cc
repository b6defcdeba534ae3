// The behaviour of gangs: which run, which wait, and what is left of them.
#include "tests/invariants/behaviour/behaviour.h"

namespace fluxnetes::testing {
namespace {

using std::chrono::seconds;

TEST_F(Behaviour, OfTwoGangsThatArriveInterleavedOneRunsAndTheOtherFollows) {
  for (int i = 0; i < 4; ++i) {
    const auto pod = std::to_string(i);
    Submit(PodOf("a" + pod, "a", 4, {.cpu = "2", .seconds = 30}));
    Submit(PodOf("b" + pod, "b", 4, {.cpu = "2", .seconds = 30}));
  }
  EXPECT_EQ(StateOf("a"), "bound");
  EXPECT_EQ(StateOf("b"), "pending");
  EXPECT_EQ(system.cluster.Bindings().size(), 4U);
  system.Advance(seconds(31));
  EXPECT_EQ(StateOf("b"), "bound");
  RunToEndAndExpectNothingLeft();
}

TEST_F(Behaviour, IncompleteGangHoldsNothing) {
  Submit(GangOf("half", 4, {.cpu = "2", .absent = 1}));
  Submit(GangOf("whole", 4, {.cpu = "2"}));
  EXPECT_EQ(StateOf("whole"), "bound");
  EXPECT_EQ(system.Ask("SELECT members FROM groups_provisional"), "3");
}

TEST_F(Behaviour, GangLargerThanTheClusterDoesNotDisturbOthers) {
  Submit(GangOf("huge", 9, {.cpu = "1"}));
  EXPECT_EQ(StateOf("huge"), "unsatisfiable");
  Submit(GangOf("small", 8, {.cpu = "1"}));
  EXPECT_EQ(StateOf("small"), "bound");
}

TEST_F(Behaviour, GangThatWaitsIsPassedBySmallOnesButNotStarved) {
  Submit(GangOf("first", 3, {.cpu = "2", .seconds = 60, .limit = 60}));
  Submit(GangOf("head", 4, {.cpu = "2", .seconds = 60, .limit = 60}));
  Submit(GangOf("brief", 1, {.cpu = "2", .seconds = 30, .limit = 30}));
  Submit(GangOf("endless", 1, {.cpu = "2", .seconds = 900}));
  EXPECT_EQ(StateOf("brief"), "bound");
  EXPECT_EQ(StateOf("endless"), "pending");
  system.Advance(seconds(62));
  EXPECT_EQ(StateOf("head"), "bound");
  RunToEndAndExpectNothingLeft();
}

TEST_F(Behaviour, PodThatEndsFreesItsPlaceAndItsSiblingsKeepTheirs) {
  Submit(GangOf("train", 4, {.cpu = "2", .seconds = 600}));
  system.Advance(seconds(1));
  const auto pod = PodOfIndex(0);
  system.cluster.EndPod(pod->namespace_name, pod->name, 0);
  system.Settle();
  EXPECT_EQ(system.Ask("SELECT count(*) FROM placements"), "3");
  Submit(GangOf("next", 1, {.cpu = "2", .seconds = 10}));
  EXPECT_EQ(StateOf("next"), "bound");
  EXPECT_EQ(StateOf("train"), "bound");
  RunToEndAndExpectNothingLeft();
}

TEST_F(Behaviour, ReplacementOfAFailedMemberTakesItsPlace) {
  Submit(GangOf("train", 4, {.cpu = "2", .seconds = 60}));
  system.Advance(seconds(1));
  const auto pod = PodOfIndex(2);
  Submit(GangOf("greedy", 1, {.cpu = "2", .seconds = 60}));
  system.cluster.EndPod(pod->namespace_name, pod->name, 1);
  system.Settle();
  system.Advance(seconds(1));
  ASSERT_NE(PodOfIndex(2), nullptr);
  EXPECT_EQ(PodOfIndex(2)->node_name, pod->node_name);
  EXPECT_EQ(StateOf("greedy"), "pending");
  RunToEndAndExpectNothingLeft();
}

TEST_F(Behaviour, DeletedJobLeavesNothingWhereverItWas) {
  Submit(GangOf("runs", 4, {.cpu = "2", .seconds = 600}));
  Submit(GangOf("waits", 4, {.cpu = "2", .seconds = 600}));
  Submit(GangOf("fills", 4, {.cpu = "2", .seconds = 600, .absent = 1}));
  for (const char* job : {"runs", "waits", "fills"}) {
    system.cluster.Delete({"Job", "default", job, ""});
  }
  RunToEndAndExpectNothingLeft();
}

TEST_F(Behaviour, SameNameInTwoNamespacesIsTwoGroups) {
  Submit(GangOf("train", 2, {.seconds = 10, .name_space = "default"}));
  Submit(GangOf("train", 2, {.seconds = 10, .name_space = "other"}));
  EXPECT_EQ(system.Ask("SELECT count(*) FROM pod_groups"), "2");
  RunToEndAndExpectNothingLeft();
}

TEST_F(Behaviour, SuspendedJobHoldsNothing) {
  Submit(GangOf("sleepy", 4, {.cpu = "2", .seconds = 10, .suspend = true}));
  Submit(GangOf("train", 4, {.cpu = "2", .seconds = 10}));
  EXPECT_EQ(StateOf("train"), "bound");
  system.cluster.SuspendJob("default", "sleepy", false);
  RunToEndAndExpectNothingLeft();
  EXPECT_EQ(system.Ask("SELECT count(*) FROM group_history "
                       "WHERE result = 'succeeded'"),
            "2");
}

TEST_F(Behaviour, DeadlineFreesTheResources) {
  Submit(GangOf("late", 4, {.cpu = "2", .seconds = 900, .limit = 30}));
  RunToEndAndExpectNothingLeft();
  EXPECT_EQ(system.Ask("SELECT result FROM group_history"), "timed out");
}

// One pod of a gang of two has succeeded; the other fails, and its replacement
// does not fit there, so that the group has no placement for a while.
TEST_F(Behaviour, DeadlineOfAReplacedPodCountsFromItsNewPlace) {
  Submit(GangOf("train", 2, {.cpu = "4", .seconds = 80, .limit = 100}));
  system.Advance(seconds(50));
  system.cluster.EndPod("default", PodOfIndex(0)->name, 0);
  system.Settle();
  for (const char* node : {"node0", "node1"}) system.cluster.Cordon(node);
  system.cluster.EndPod("default", PodOfIndex(1)->name, 1);
  system.Advance(seconds(1));
  EXPECT_EQ(StateOf("train"), "unsatisfiable");
  EXPECT_EQ(system.Ask("SELECT count(*) FROM placements"), "0");
  system.Advance(seconds(100));  // past the deadline of the first placement
  EXPECT_EQ(StateOf("train"), "unsatisfiable");
  system.cluster.Cordon("node0", false);
  system.Settle();
  EXPECT_EQ(StateOf("train"), "bound");
  system.Advance(seconds(70));
  EXPECT_EQ(StateOf("train"), "bound");
  RunToEndAndExpectNothingLeft();
  EXPECT_EQ(system.Ask("SELECT result FROM group_history"), "succeeded");
}

TEST_F(Behaviour, NodeThatIsAddedIsUsedAndACordonedOneIsNot) {
  system.cluster.Cordon("node1");
  Submit(GangOf("train", 4, {.cpu = "2", .seconds = 10}));
  EXPECT_NE(StateOf("train"), "bound");
  cluster::Node node = *system.cluster.GetNode("node0");
  node.name = "node7";
  system.cluster.AddNode(node);
  system.Settle();
  EXPECT_EQ(StateOf("train"), "bound");
  EXPECT_EQ(system.Ask("SELECT nodes FROM running"), "{node0,node7}");
  RunToEndAndExpectNothingLeft();
}

TEST_F(Behaviour, NodeTaintedBetweenMatchAndBindSendsTheGroupBackWhole) {
  Allocate(GangOf("train", 4, {.cpu = "2", .seconds = 10}));
  ASSERT_EQ(StateOf("train"), "allocated");
  system.cluster.AddTaint("node1", {"team", "red", "NoSchedule"});
  system.Settle();
  EXPECT_EQ(system.cluster.Bindings().size(), 0U);
  system.cluster.RemoveTaint("node1", "team");
  system.Settle();
  EXPECT_EQ(system.cluster.Bindings().size(), 4U);
  RunToEndAndExpectNothingLeft();
}

TEST_F(Behaviour, NodeFilledByOthersBetweenMatchAndBindSendsTheGroupBackWhole) {
  Allocate(GangOf("train", 4, {.cpu = "2", .seconds = 10}));
  ASSERT_EQ(StateOf("train"), "allocated");
  AddOther("thief", "node0", 3);
  EXPECT_EQ(system.cluster.Bindings().size(), 0U);
  EXPECT_NE(StateOf("train"), "allocated");
  RemoveOther("thief");
  EXPECT_EQ(system.cluster.Bindings().size(), 4U);
  RunToEndAndExpectNothingLeft();
}

// Reservations made meanwhile may start later because of it.
TEST_F(Behaviour, GroupWhoseBindingFailsGoesBeforeAllThatWait) {
  Submit(GangOf("short", 1, {.cpu = "3", .seconds = 90, .limit = 50}));
  Submit(GangOf("long", 1, {.cpu = "2", .seconds = 300, .limit = 200}));
  Submit(GangOf("head", 1, {.cpu = "4", .seconds = 10}));
  const std::string promised = "SELECT nodes FROM reservations";
  ASSERT_EQ(system.Ask(promised), "{node0}");
  system.cluster.FailBinds(cluster::BindFault::kConflict, 2);
  Submit(GangOf("behind", 1, {.cpu = "1", .seconds = 400}));
  EXPECT_EQ(StateOf("behind"), "bound");
  EXPECT_EQ(system.Ask(promised), "{node1}");
  RunToEndAndExpectNothingLeft();
}

// The binder has not received the event of the pod that arrives first.
TEST_F(Behaviour, PodsThatTheirKubeletTurnsAwayAreMatchedAnewNotSentBack) {
  Allocate(GangOf("train", 4, {.cpu = "2", .seconds = 30}));
  system.cluster.SetWatchFaults({.delay = seconds(1)});
  CreateOther("thief", "node0", 3);
  system.process->binder.RunOnce(system.cluster.Now());
  ASSERT_EQ(system.cluster.Bindings().size(), 4U);
  system.cluster.SetWatchFaults({});
  system.Advance(seconds(5));
  EXPECT_EQ(CountKubeletRejections(), 2);
  EXPECT_EQ(system.Ask("SELECT count(*) FROM placements"), "2");
  EXPECT_EQ(system.Ask("SELECT first_in_line FROM pod_groups"), "t");
  RemoveOther("thief");
  EXPECT_EQ(StateOf("train"), "bound");
  EXPECT_EQ(CountKubeletRejections(), 2);
  RunToEndAndExpectNothingLeft();
  EXPECT_EQ(system.Ask("SELECT result FROM group_history"), "succeeded");
}

TEST_F(Behaviour, ApiServerThatIsAwayLosesNothing) {
  Submit(GangOf("first", 4, {.cpu = "2", .seconds = 30}));
  system.cluster.SetReachable(false);
  system.Submit(GangOf("second", 4, {.cpu = "2", .seconds = 30}));
  system.Advance(seconds(60));
  system.cluster.SetReachable(true);
  RunToEndAndExpectNothingLeft();
  EXPECT_EQ(system.Ask("SELECT count(*) FROM group_history "
                       "WHERE result = 'succeeded'"),
            "2");
}

}  // namespace
}  // namespace fluxnetes::testing
