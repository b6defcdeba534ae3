// Gangs on a real API server: which run, which wait, and what they leave.
#include "tests/kubernetes/support/kube_test.h"

namespace fluxnetes::testing {
namespace {

TEST_F(OnKubernetes, OfTwoGangsThatArriveInterleavedOneRunsAndTheOtherFollows) {
  for (int i = 0; i < 4; ++i) {
    const auto pod = std::to_string(i);
    Submit(BarePod("a" + pod, "a", 4, {.cpu = 2}));
    Submit(BarePod("b" + pod, "b", 4, {.cpu = 2}));
  }
  ASSERT_TRUE(Comes([&] { return Bound("a") + Bound("b") == 4; }));
  const std::string first = Bound("a") == 4 ? "a" : "b";
  const std::string second = first == "a" ? "b" : "a";
  EXPECT_TRUE(Comes(first, "bound"));
  EXPECT_TRUE(Waits(second));
  EXPECT_EQ(Bound(second), 0);
  EndGroup(first);
  EXPECT_TRUE(Comes(second, "bound"));
  EXPECT_EQ(Bound(second), 4);
}

TEST_F(OnKubernetes, OfTwoGangsInOrderTheFirstRunsFirst) {
  Submit(Gang("a", 4, {.cpu = 2}));
  EXPECT_TRUE(Comes("a", "bound"));
  Submit(Gang("b", 4, {.cpu = 2}));
  EXPECT_TRUE(Waits("b"));
  EXPECT_EQ(Bound("b"), 0);
  EndGroup("a");
  EXPECT_TRUE(Comes("b", "bound"));
  EXPECT_EQ(Bound("b"), 4);
}

TEST_F(OnKubernetes, IncompleteGangHoldsNothing) {
  Submit(Gang("half", 4, {.cpu = 2, .absent = 1}));
  Submit(Gang("whole", 4, {.cpu = 2}));
  EXPECT_TRUE(Comes("whole", "bound"));
  EXPECT_TRUE(Comes(
      [&] { return Ask("SELECT members FROM groups_provisional") == "3"; }));
  EXPECT_EQ(Bound("half"), 0);
}

TEST_F(OnKubernetes, GangThatWaitsIsPassedBySmallOnesButNotStarved) {
  Submit(Gang("first", 3, {.cpu = 2, .limit = 9'000}));
  EXPECT_TRUE(Comes("first", "bound"));
  Submit(Gang("head", 4, {.cpu = 2, .limit = 600}));
  EXPECT_TRUE(Waits("head"));
  Submit(Gang("endless", 1, {.cpu = 2}));
  EXPECT_TRUE(Waits("endless"));
  Submit(Gang("brief", 1, {.cpu = 2, .limit = 60}));
  EXPECT_TRUE(Comes("brief", "bound"));
  EXPECT_EQ(StateOf("endless"), "pending");
  EndGroup("brief");
  EndGroup("first");
  EXPECT_TRUE(Comes("head", "bound"));
  EXPECT_EQ(StateOf("endless"), "pending");
}

TEST_F(OnKubernetes, GangLargerThanTheClusterIsCalledSoOnceAndDisturbsNobody) {
  Submit(Gang("huge", 9));
  EXPECT_TRUE(Comes("huge", "unsatisfiable"));
  Submit(Gang("small", 8));
  EXPECT_TRUE(Comes("small", "bound"));
  EXPECT_EQ(StateOf("huge"), "unsatisfiable");
  EXPECT_TRUE(Comes([&] { return EventsOfGroup("huge", "needs 9") > 0; }));
  EXPECT_EQ(EventsOfGroup("huge", "needs 9"), 1U);
  for (const cluster::Pod& pod : PodsOf("huge"))
    EXPECT_EQ(ConditionOf(pod.name)["reason"], "Unschedulable") << pod.name;
}

TEST_F(OnKubernetes, MemberWithAnImpossibleSelectorIsNamedAndNothingIsBound) {
  Submit(BarePod("good", "pair", 2));
  Submit(BarePod("bad", "pair", 2, {.more = "nodeSelector: {disk: none}"}));
  EXPECT_TRUE(Comes("pair", "unsatisfiable"));
  EXPECT_EQ(Bound("pair"), 0);
  EXPECT_NE(ReasonOf("pair").find("bad"), std::string::npos)
      << ReasonOf("pair");
  EXPECT_TRUE(Comes([&] {
    const Json condition = ConditionOf("bad");
    return !condition.is_null() && condition["status"] == "False" &&
           condition["reason"] == "Unschedulable";
  })) << ConditionOf("bad");
}

TEST_F(OnKubernetes, GangOfTwoShapesIsPlacedWhole) {
  Submit(BarePod("launcher", "mpi", 3, {.cpu = 1}));
  Submit(BarePod("worker-0", "mpi", 3, {.cpu = 3}));
  Submit(BarePod("worker-1", "mpi", 3, {.cpu = 4}));
  EXPECT_TRUE(Comes("mpi", "bound"));
  EXPECT_EQ(Bound("mpi"), 3);
  EXPECT_NE(PodNamed("worker-0").node_name, PodNamed("worker-1").node_name);
  EXPECT_EQ(PodNamed("launcher").node_name, PodNamed("worker-0").node_name);
}

TEST_F(OnKubernetes, SeveralMembersShareANode) {
  Patch("nodes/" + Node(1), {{"spec", {{"unschedulable", true}}}});
  ASSERT_TRUE(HearsOfCordon(Node(1)));
  Submit(Gang("dense", 4));
  EXPECT_TRUE(Comes("dense", "bound"));
  for (const cluster::Pod& pod : PodsOf("dense"))
    EXPECT_EQ(pod.node_name, Node(0));
}

TEST_F(OnKubernetes, SurplusPodIsPlacedAloneWhenThereIsRoom) {
  Submit(BarePod("first", "team", 2, {.cpu = 2}));
  Submit(BarePod("second", "team", 2, {.cpu = 2}));
  EXPECT_TRUE(Comes("team", "bound"));
  Submit(Gang("many", 2, {.cpu = 2, .absent = -1}));
  EXPECT_TRUE(Comes("many", "bound"));
  EXPECT_TRUE(Comes([&] {
    return Ask("SELECT count(*) FROM pending WHERE reason <> 'queued'") == "1";
  }));
  EXPECT_EQ(Bound("many"), 2);
  EndGroup("team");
  EXPECT_TRUE(Comes([&] { return Bound("many") == 3; }));
}

TEST_F(OnKubernetes, GatedMembersDoNotCountUntilTheirGatesAreLifted) {
  Submit(BarePod("open", "pair", 2));
  Submit(BarePod("gated", "pair", 2,
                 {.more = "schedulingGates: [{name: example.com/quota}]"}));
  EXPECT_TRUE(Comes([&] {
    return Ask("SELECT count(*) FROM pods_provisional WHERE gated") == "1";
  }));
  Submit(Gang("other", 1));
  EXPECT_TRUE(Comes("other", "bound"));
  EXPECT_EQ(Bound("pair"), 0);
  EXPECT_EQ(ConditionOf("gated")["reason"], "SchedulingGated");
  Patch("pods/gated", {{"spec", {{"schedulingGates", nullptr}}}});
  EXPECT_TRUE(Comes("pair", "bound"));
  EXPECT_EQ(Bound("pair"), 2);
}

}  // namespace
}  // namespace fluxnetes::testing
