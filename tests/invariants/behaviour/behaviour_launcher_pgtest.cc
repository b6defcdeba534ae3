// Groups of a launcher and workers, of which the workers alone ask for a
// topology.
#include "tests/invariants/behaviour/behaviour.h"

namespace fluxnetes::testing {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

// Two racks of two nodes with 4 cpus each.
class BehaviourOfLaunchers : public Behaviour {
 protected:
  BehaviourOfLaunchers()
      : Behaviour(
            "nodes: [{count: 2, name: a, cpu: 4, memory: 16Gi, labels: "
            "{topology.kubernetes.io/rack: a}}, {count: 2, name: b, cpu: 4, "
            "memory: 16Gi, labels: {topology.kubernetes.io/rack: b}}]") {}

  // A Job of pods that belong to the group "mpi" of this size.
  void Start(const std::string& job, int pods, int size, GangShape shape) {
    shape.group = "mpi";
    shape.absent = size - pods;
    Submit(GangOf(job, size, shape));
  }
  std::string Refusal() {
    return system.Ask(
        "SELECT refused FROM pods_provisional WHERE refused IS NOT NULL LIMIT "
        "1");
  }
  // "a0 4, a1 4": the nodes of the pods of a Job, with their numbers.
  std::string NodesOf(const std::string& job) {
    return system.Ask(
        "SELECT string_agg(node_name || ' ' || pods, ', ' ORDER BY node_name) "
        "FROM (SELECT node_name, count(*) AS pods FROM pods WHERE state = "
        "'bound' AND owner_name = '" +
        job + "' GROUP BY node_name) AS of_job");
  }
};

TEST_F(BehaviourOfLaunchers, LauncherIsInTheRackThatTheWorkersRequire) {
  Start("launcher", 1, 5, {.cpu = "1"});
  Start("workers", 4, 5, {.cpu = "2", .topology = "rack"});
  EXPECT_EQ(StateOf("mpi"), "unsatisfiable");  // its rack has 8 of 9 cpus
  EXPECT_EQ(Refusal(), "");
  system.cluster.Delete({"Job", "default", "workers", ""});
  system.Advance(seconds(60));
  Start("again", 4, 5, {.cpu = "1", .topology = "rack"});
  EXPECT_EQ(NodesOf("again"), "a0 3, a1 1");
  EXPECT_EQ(NodesOf("launcher"), "a0 1");
}

TEST_F(BehaviourOfLaunchers, WorkersAreDividedAndTheLauncherGoesBesideThem) {
  Start("workers", 8, 9, {.cpu = "1", .levels = "rack:4"});
  Start("launcher", 1, 9, {.cpu = "1"});
  EXPECT_EQ(StateOf("mpi"), "bound");
  EXPECT_EQ(NodesOf("workers"), "a0 4, a1 4");
  EXPECT_EQ(NodesOf("launcher"), "b0 1");
}

TEST_F(BehaviourOfLaunchers, EachNodeHasItsWorkersAndOneTheLauncherToo) {
  Start("launcher", 1, 5, {.cpu = "1"});
  Start("workers", 4, 5, {.cpu = "1", .per_node = 2});
  EXPECT_EQ(NodesOf("workers"), "a0 2, b0 2");
  EXPECT_EQ(NodesOf("launcher"), "a0 1");
}

// Five pods are one slice: the launcher counts where the number allows it.
TEST_F(BehaviourOfLaunchers, LauncherCountsWhereTheNumberDividesAll) {
  Start("launcher", 1, 5, {.cpu = "1"});
  Start("workers", 4, 5, {.cpu = "1", .levels = "rack:5"});
  EXPECT_EQ(NodesOf("workers"), "a0 3, a1 1");
  EXPECT_EQ(NodesOf("launcher"), "a0 1");
}

TEST_F(BehaviourOfLaunchers, NumberThatDividesNeitherIsRefusedOnceAllAreThere) {
  Start("workers", 8, 9, {.cpu = "1", .levels = "rack:5"});
  EXPECT_EQ(Refusal(), "");
  Start("launcher", 1, 9, {.cpu = "1"});
  EXPECT_THAT(Refusal(), HasSubstr("it has 9 pods, of which 8 ask for it"));
}

TEST_F(BehaviourOfLaunchers, TwoTopologiesAreRefused) {
  Start("launcher", 1, 5, {.cpu = "1", .topology = "zone"});
  Start("workers", 4, 5, {.cpu = "1", .topology = "rack"});
  EXPECT_THAT(Refusal(), HasSubstr("all pods of a group that ask for any must "
                                   "ask for the same"));
}

TEST_F(BehaviourOfLaunchers, FailedLauncherComesBackBesideItsWorkers) {
  Start("workers", 8, 9, {.cpu = "1", .seconds = 900, .levels = "rack:4"});
  Start("launcher", 1, 9, {.cpu = "1", .seconds = 900});
  system.Advance(seconds(1));
  for (const auto& pod : system.cluster.TakeSnapshot().pods) {
    if (pod->controller && pod->controller->name == "launcher")
      system.cluster.EndPod(pod->namespace_name, pod->name, 1);
  }
  system.Advance(seconds(30));
  EXPECT_EQ(NodesOf("launcher"), "b0 1");
  EXPECT_EQ(StateOf("mpi"), "bound");
  system.CrashAndRestart();
  system.Settle();
  EXPECT_EQ(NodesOf("workers"), "a0 4, a1 4");
}

}  // namespace
}  // namespace fluxnetes::testing
