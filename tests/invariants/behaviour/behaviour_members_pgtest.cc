// Gangs whose pods differ, are gated, are too many or cannot be placed, and
// gangs beside the pods of other schedulers.
#include "tests/invariants/behaviour/behaviour.h"

namespace fluxnetes::testing {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;

class BehaviourOfMembers : public Behaviour {
 protected:
  std::vector<cluster::PodPointer> Pods() {
    return system.cluster.TakeSnapshot().pods;
  }
  int CountBound() {
    return static_cast<int>(system.cluster.Bindings().size());
  }
  std::string ReasonOf(const std::string& group) {
    return system.Ask("SELECT reason FROM pending WHERE group_name = '" +
                      group + "'");
  }
};

TEST_F(BehaviourOfMembers, SchedulingGatesHoldAGroupBackUntilAllAreLifted) {
  Submit(GangOf("quota", 3, {.cpu = "2", .seconds = 10, .gated = true}));
  EXPECT_EQ(StateOf("quota"), "");
  EXPECT_EQ(system.Ask("SELECT members || '/' || group_size "
                       "FROM groups_provisional"),
            "0/3");
  // It has no allocation meanwhile, so others start.
  Submit(GangOf("other", 4, {.cpu = "2", .seconds = 10}));
  EXPECT_EQ(StateOf("other"), "bound");
  system.Advance(seconds(12));
  int lifted = 0;
  for (const auto& pod : Pods()) {
    if (!pod->gated) continue;
    EXPECT_EQ(CountBound(), 4);
    EXPECT_TRUE(system.cluster.LiftGates(pod->namespace_name, pod->name));
    system.Settle();
    ++lifted;
  }
  EXPECT_EQ(lifted, 3);
  EXPECT_EQ(StateOf("quota"), "bound");
  RunToEndAndExpectNothingLeft();
}

TEST_F(BehaviourOfMembers, PodsOfSeveralShapesAreOneGang) {
  // A launcher and its workers are two Jobs; together they fill both nodes.
  Submit(GangOf("mpi-workers", 4,
                {.cpu = "3", .seconds = 20, .group = "mpi", .absent = 2}));
  EXPECT_EQ(CountBound(), 0);
  Submit(GangOf("mpi-launcher", 4,
                {.cpu = "1", .seconds = 20, .group = "mpi", .absent = 2}));
  EXPECT_EQ(StateOf("mpi"), "bound");
  EXPECT_EQ(CountBound(), 4);
  EXPECT_EQ(system.Ask("SELECT string_agg(cpu::text, ' ') FROM (SELECT "
                       "sum(cpu_milli) AS cpu FROM placements "
                       "GROUP BY node_name) AS nodes"),
            "4000 4000");
  RunToEndAndExpectNothingLeft();
}

TEST_F(BehaviourOfMembers, ExclusiveGangHasItsNodesForItself) {
  AddOther("other-0", "node0", 1);
  Submit(GangOf("alone", 2, {.cpu = "1", .seconds = 20, .exclusive = true}));
  EXPECT_EQ(StateOf("alone"), "bound");
  EXPECT_EQ(system.Ask("SELECT string_agg(node_name, ' ') FROM placements"),
            "node1 node1");
  Submit(GangOf("small", 1, {.cpu = "1", .seconds = 10}));
  Submit(GangOf("large", 1, {.cpu = "3", .seconds = 10}));
  EXPECT_EQ(StateOf("small"), "bound");
  EXPECT_EQ(StateOf("large"), "pending");
  EXPECT_THAT(ReasonOf("large"), HasSubstr("1 node is held whole by a group"));
  RemoveOther("other-0");
  RunToEndAndExpectNothingLeft();
}

TEST_F(BehaviourOfMembers, NodesGetTheNumberOfPodsThatTheGangAsksFor) {
  Submit(GangOf("train", 4, {.cpu = "1", .seconds = 20, .per_node = 2}));
  EXPECT_EQ(StateOf("train"), "bound");
  EXPECT_EQ(system.Ask("SELECT string_agg(n::text, ' ') FROM (SELECT count(*) "
                       "AS n FROM placements GROUP BY node_name) AS nodes"),
            "2 2");
  RunToEndAndExpectNothingLeft();
}

TEST_F(BehaviourOfMembers, LevelsGetTheNumberOfPodsThatTheGangAsksFor) {
  for (const auto& node : system.cluster.TakeSnapshot().nodes) {
    cluster::Node racked = *node;
    racked.labels["topology.kubernetes.io/rack"] = "of-" + node->name;
    system.cluster.UpdateNode(racked);
  }
  system.Settle();
  Submit(GangOf("small", 1, {.cpu = "2", .seconds = 30}));
  Submit(GangOf("train", 6, {.cpu = "1", .seconds = 20, .levels = "rack:3"}));
  EXPECT_EQ(StateOf("train"), "pending");
  EXPECT_THAT(ReasonOf("train"),
              HasSubstr("needs 2 × 3 places, each in one rack "
                        "(topology.kubernetes.io/rack): 1 is free"));
  system.Advance(seconds(31));
  EXPECT_EQ(StateOf("train"), "bound");
  RunToEndAndExpectNothingLeft();
}

TEST_F(BehaviourOfMembers, OneBigPodHoldsItsWholeGangBack) {
  AddOther("daemon-0", "node0", 1);
  AddOther("daemon-1", "node1", 1);
  Submit(PodOf("small-0", "mixed", 3, {.cpu = "1", .seconds = 10}));
  Submit(PodOf("small-1", "mixed", 3, {.cpu = "1", .seconds = 10}));
  Submit(PodOf("big", "mixed", 3, {.cpu = "4", .seconds = 10}));
  EXPECT_EQ(StateOf("mixed"), "unsatisfiable");
  EXPECT_THAT(ReasonOf("mixed"), HasSubstr("(pod big)"));
  EXPECT_EQ(CountBound(), 0);
  RemoveOther("daemon-1");
  EXPECT_EQ(StateOf("mixed"), "bound");
  EXPECT_EQ(CountBound(), 3);
  RunToEndAndExpectNothingLeft();
}

TEST_F(BehaviourOfMembers, SurplusPodsAreGroupsOfOneInTheOrderOfTheirGroup) {
  Submit(GangOf("fills", 4, {.cpu = "2", .seconds = 60, .limit = 60}));
  system.Advance(seconds(1));
  Submit(GangOf("many", 2,
                {.cpu = "2", .seconds = 600, .priority = 3, .absent = -2}));
  system.Advance(seconds(1));
  Submit(GangOf("later", 1, {.cpu = "2", .seconds = 600, .priority = 3}));
  EXPECT_EQ(system.Ask("SELECT count(*) FROM pod_groups WHERE group_size = 1 "
                       "AND priority = 3 AND group_name LIKE "
                       "'fluxnetes-group-default-many-%' AND submitted_at = "
                       "(SELECT submitted_at FROM pod_groups "
                       "WHERE group_name = 'many')"),
            "2");
  // The gang and its surplus pod fill the cluster before the later gang.
  system.Advance(seconds(62));
  EXPECT_EQ(StateOf("many"), "bound");
  EXPECT_EQ(StateOf("later"), "pending");
  EXPECT_EQ(CountBound(), 8);
  system.cluster.Delete({"Job", "default", "many", ""});
  RunToEndAndExpectNothingLeft();
}

TEST_F(BehaviourOfMembers, PodsOfOthersThatComeAndGoChangeWhatFits) {
  AddOther("daemon", "node0", 2);
  Submit(GangOf("three", 3, {.cpu = "2", .seconds = 60}));
  EXPECT_EQ(StateOf("three"), "bound");
  Submit(GangOf("fourth", 1, {.cpu = "2", .seconds = 60}));
  EXPECT_EQ(StateOf("fourth"), "pending");
  RemoveOther("daemon");
  EXPECT_EQ(StateOf("fourth"), "bound");
  RunToEndAndExpectNothingLeft();

  AddOther("first", "node0", 3);
  AddOther("second", "node1", 3);
  Submit(GangOf("pair", 2, {.cpu = "2", .seconds = 60}));
  EXPECT_NE(StateOf("pair"), "bound");
  RemoveOther("second");
  EXPECT_EQ(StateOf("pair"), "bound");
  EXPECT_EQ(system.Ask("SELECT nodes FROM running"), "{node1}");
  RunToEndAndExpectNothingLeft();
}

TEST_F(BehaviourOfMembers, ImpossibleNodeSelectorNamesThePodAndTheReason) {
  Submit(PodOf("plain-0", "picky", 3, {.cpu = "1"}));
  Submit(PodOf("plain-1", "picky", 3, {.cpu = "1"}));
  Submit(PodOf("odd", "picky", 3, {.cpu = "1", .selector = "{disk: drum}"}));
  EXPECT_EQ(StateOf("picky"), "unsatisfiable");
  EXPECT_THAT(ReasonOf("picky"),
              AllOf(HasSubstr("{disk: drum}"), HasSubstr("(pod odd)")));
  // The pods' conditions report it too.
  for (const auto& pod : Pods()) {
    const auto condition =
        system.cluster.ConditionOf(pod->namespace_name, pod->name);
    ASSERT_TRUE(condition.has_value()) << pod->name;
    EXPECT_THAT(condition->message, HasSubstr("{disk: drum}"));
  }
  // A node with the requested label changes the result.
  cluster::Node node = *system.cluster.GetNode("node0");
  node.name = "drum";
  node.labels["disk"] = "drum";
  system.cluster.AddNode(node);
  system.Settle();
  EXPECT_EQ(StateOf("picky"), "bound");
  EXPECT_EQ(ReasonOf("picky"), "");
  RunToEndAndExpectNothingLeft();
}

TEST_F(BehaviourOfMembers,
       PodThatOthersGaveANodeIsChargedThereAndNotWaitedFor) {
  Submit(GangOf("fills", 3, {.cpu = "2", .seconds = 60}));
  Submit(PodOf("stray", "", 1, {.cpu = "4", .seconds = 30}));
  const std::string uid =
      system.Ask("SELECT uid FROM pods WHERE pod_name = 'stray'");
  const cluster::Binding binding{"default", "stray", uid, "", "node1"};
  system.bound_by_others.insert(uid);
  system.cluster.Bind({&binding, 1}, seconds(1));
  system.Settle();
  EXPECT_NE(StateOf("fluxnetes-group-default-stray"), "pending");
  RunToEndAndExpectNothingLeft();
}

}  // namespace
}  // namespace fluxnetes::testing
