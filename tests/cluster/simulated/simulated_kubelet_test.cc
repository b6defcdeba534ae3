#include <gmock/gmock.h>

#include "tests/cluster/simulated/simulated_fixture.h"

namespace fluxnetes::cluster {
namespace {

TEST_F(SimulatedClusterTest, PodRunsAsLongAsItSays) {
  const auto pod = Create("a", seconds(30));
  Bind(*pod);
  Pass(milliseconds(1));
  EXPECT_EQ(Now("a")->phase, PodPhase::kRunning);
  Pass(milliseconds(29'998));
  EXPECT_EQ(Now("a")->phase, PodPhase::kRunning);
  Pass(milliseconds(1));
  EXPECT_EQ(Now("a")->phase, PodPhase::kSucceeded);
}

TEST_F(SimulatedClusterTest, UnboundPodDoesNotRun) {
  Create("a");
  Pass(seconds(100));
  EXPECT_EQ(Now("a")->phase, PodPhase::kPending);
  EXPECT_EQ(cluster_.NextEventTime(), std::nullopt);
}

TEST_F(SimulatedClusterTest, NextEventTimeLeadsFromStepToStep) {
  const auto start = cluster_.Now();
  Bind(*Create("a", seconds(5)));
  EXPECT_EQ(cluster_.NextEventTime(), start);
  cluster_.AdvanceTo(start);
  EXPECT_EQ(cluster_.NextEventTime(), start + seconds(5));
  cluster_.AdvanceTo(*cluster_.NextEventTime());
  EXPECT_EQ(cluster_.NextEventTime(), std::nullopt);
  EXPECT_EQ(Now("a")->phase, PodPhase::kSucceeded);
}

TEST_F(SimulatedClusterTest, WhatDoesNotFitFailsWithItsResource) {
  Bind(*Create("big", std::nullopt, 3'000));
  Pass(milliseconds(1));
  Bind(*Create("cpu", std::nullopt, 1'001));
  PodTemplate wish = Template(std::nullopt, 0);
  wish.pod.name = "memory";
  wish.pod.request.resources.memory_bytes = (1LL << 30) + 1;
  Bind(*cluster_.CreatePod(wish));
  wish.pod.name = "gpu";
  wish.pod.request.resources.memory_bytes = 0;
  wish.pod.request.resources.SetExtended("nvidia.com/gpu", 1);
  Bind(*cluster_.CreatePod(wish));
  Bind(*Create("fits", std::nullopt, 1'000));
  Pass(milliseconds(1));
  EXPECT_EQ(Now("cpu")->phase, PodPhase::kFailed);
  EXPECT_EQ(Now("cpu")->reason, "OutOfcpu");
  EXPECT_EQ(Now("memory")->reason, "OutOfmemory");
  EXPECT_EQ(Now("gpu")->reason, "OutOfnvidia.com/gpu");
  EXPECT_EQ(Now("fits")->phase, PodPhase::kRunning);
}

TEST_F(SimulatedClusterTest, NodeTakesNoMorePodsThanItSays) {
  for (int i = 0; i < 11; ++i) {
    Bind(*Create("p" + std::to_string(i), std::nullopt, 1));
  }
  Pass(milliseconds(1));
  EXPECT_EQ(Now("p9")->phase, PodPhase::kRunning);
  EXPECT_EQ(Now("p10")->reason, "OutOfpods");
}

TEST_F(SimulatedClusterTest, PodThatEndsFreesItsPlace) {
  Bind(*Create("a", seconds(1), 4'000));
  Pass(seconds(2));
  Bind(*Create("b", seconds(1), 4'000));
  Pass(milliseconds(1));
  EXPECT_EQ(Now("b")->phase, PodPhase::kRunning);
}

TEST_F(SimulatedClusterTest, TerminatingPodHoldsItsPlaceUntilItIsGone) {
  Bind(*Create("a", std::nullopt, 4'000));
  Pass(milliseconds(1));
  cluster_.Delete({"Pod", "default", "a", ""});
  EXPECT_TRUE(Now("a")->terminating);
  Bind(*Create("b", std::nullopt, 4'000));
  Pass(milliseconds(1));
  EXPECT_EQ(Now("b")->reason, "OutOfcpu");
  Pass(milliseconds(20));
  EXPECT_EQ(Now("a"), nullptr);
  Bind(*Create("c", std::nullopt, 4'000));
  Pass(milliseconds(1));
  EXPECT_EQ(Now("c")->phase, PodPhase::kRunning);
}

TEST_F(SimulatedClusterTest, DeadlineOfAPodFailsIt) {
  PodTemplate wish = Template(std::nullopt);
  wish.pod.name = "a";
  wish.pod.active_deadline = seconds(10);
  Bind(*cluster_.CreatePod(wish));
  Pass(milliseconds(9'999));
  EXPECT_EQ(Now("a")->phase, PodPhase::kRunning);
  Pass(milliseconds(1));
  EXPECT_EQ(Now("a")->phase, PodPhase::kFailed);
  EXPECT_EQ(Now("a")->reason, "DeadlineExceeded");
}

TEST_F(SimulatedClusterTest, FailedContainersAreRestartedInTheirPod) {
  PodTemplate wish = Template(seconds(1));
  wish.pod.name = "a";
  wish.restart = RestartPolicy::kOnFailure;
  wish.run.fail_first = 2;
  Bind(*cluster_.CreatePod(wish));
  Pass(milliseconds(2'500));
  EXPECT_EQ(Now("a")->phase, PodPhase::kRunning);
  Pass(seconds(2));
  EXPECT_EQ(Now("a")->phase, PodPhase::kSucceeded);
}

TEST_F(SimulatedClusterTest, PodEndsOnDemand) {
  Bind(*Create("a", std::nullopt));
  EXPECT_FALSE(cluster_.EndPod("default", "a", 0));
  Pass(milliseconds(1));
  EXPECT_TRUE(cluster_.EndPod("default", "a", 7));
  EXPECT_EQ(Now("a")->phase, PodPhase::kFailed);
  EXPECT_FALSE(cluster_.EndPod("default", "a", 0));
}

TEST_F(SimulatedClusterTest, PodOfAnotherSchedulerIsChargedToo) {
  PodTemplate wish = Template(std::nullopt, 3'500);
  wish.pod.name = "daemon";
  wish.pod.scheduler_name = "default-scheduler";
  wish.pod.node_name = "node0";
  cluster_.CreatePod(wish);
  Pass(milliseconds(1));
  EXPECT_EQ(Now("daemon")->phase, PodPhase::kRunning);
  Bind(*Create("a"));
  Pass(milliseconds(1));
  EXPECT_EQ(Now("a")->reason, "OutOfcpu");
}

TEST_F(SimulatedClusterTest, PodThatItsNodeMayNotHaveIsRejected) {
  PodTemplate wish = Template(std::nullopt);
  wish.pod.name = "a";
  wish.pod.request.node_selector = {{"zone", "b"}};
  Bind(*cluster_.CreatePod(wish));
  Pass(milliseconds(1));
  EXPECT_EQ(Now("a")->reason, "NodeAffinity");
}

TEST_F(SimulatedClusterTest, PodsOfARemovedNodeAreCollected) {
  Bind(*Create("a", std::nullopt));
  Pass(milliseconds(1));
  EXPECT_TRUE(cluster_.RemoveNode("node0"));
  EXPECT_NE(Now("a"), nullptr);
  Pass(milliseconds(100));
  EXPECT_EQ(Now("a"), nullptr);
  EXPECT_FALSE(cluster_.RemoveNode("node0"));
}

TEST_F(SimulatedClusterTest, NodeThatComesBackInTimeKeepsItsPods) {
  Bind(*Create("a", seconds(10), 4'000));
  Pass(milliseconds(1));
  const Node node = *cluster_.GetNode("node0");
  cluster_.RemoveNode("node0");
  Pass(milliseconds(50));
  cluster_.AddNode(node);
  EXPECT_NE(cluster_.GetNode("node0")->uid, node.uid);
  Bind(*Create("b", std::nullopt, 1));
  Pass(seconds(5));
  EXPECT_EQ(Now("a")->phase, PodPhase::kRunning);
  EXPECT_EQ(Now("b")->reason, "OutOfcpu");
  Pass(seconds(5));
  EXPECT_EQ(Now("a")->phase, PodPhase::kSucceeded);
}

TEST_F(SimulatedClusterTest, PodBoundToANodeThatIsNotThereIsCollected) {
  EXPECT_EQ(Bind(*Create("a"), "nowhere"), BindOutcome::kBound);
  EXPECT_EQ(Now("a")->node_name, "nowhere");
  Pass(milliseconds(100));
  EXPECT_EQ(Now("a"), nullptr);
}

TEST_F(SimulatedClusterTest, NodeThatIsNotReadyStartsPodsWhenItIs) {
  cluster_.SetReady("node0", false);
  Bind(*Create("a", std::nullopt));
  Pass(seconds(10));
  EXPECT_EQ(Now("a")->phase, PodPhase::kPending);
  cluster_.SetReady("node0", true);
  Pass(milliseconds(1));
  EXPECT_EQ(Now("a")->phase, PodPhase::kRunning);
}

TEST_F(SimulatedClusterTest, NoExecuteTaintEvictsWhatDoesNotTolerateIt) {
  PodTemplate wish = Template(std::nullopt);
  wish.pod.name = "tolerant";
  wish.pod.request.tolerations = {{"team", true, "", ""}};
  Bind(*cluster_.CreatePod(wish));
  Bind(*Create("other", std::nullopt));
  Pass(milliseconds(1));
  cluster_.AddTaint("node0", {"team", "red", "NoSchedule"});
  Pass(milliseconds(100));
  EXPECT_NE(Now("other"), nullptr);
  cluster_.AddTaint("node0", {"team", "red", "NoExecute"});
  Pass(milliseconds(100));
  EXPECT_EQ(Now("other"), nullptr);
  EXPECT_EQ(Now("tolerant")->phase, PodPhase::kRunning);
  EXPECT_TRUE(cluster_.RemoveTaint("node0", "team"));
  EXPECT_TRUE(cluster_.GetNode("node0")->taints.empty());
}

TEST_F(SimulatedClusterTest, NodesAreChangedByNameOnly) {
  Node node = *cluster_.GetNode("node0");
  EXPECT_FALSE(cluster_.AddNode(node));
  node.allocatable.cpu_milli = 9'000;
  EXPECT_TRUE(cluster_.UpdateNode(node));
  EXPECT_EQ(cluster_.GetNode("node0")->uid, node.uid);
  EXPECT_NE(cluster_.GetNode("node0")->resource_version, node.resource_version);
  EXPECT_EQ(cluster_.GetNode("node0")->allocatable.cpu_milli, 9'000);
  node.name = "nobody";
  EXPECT_FALSE(cluster_.UpdateNode(node));
  EXPECT_FALSE(cluster_.Cordon("nobody"));
  EXPECT_EQ(cluster_.GetNode("nobody"), nullptr);
}

TEST_F(SimulatedClusterTest, KubeletRefusesWhatIsInNoOneNumaDomain) {
  Node node;
  node.name = "numa";
  node.allocatable = {.cpu_milli = 8'000, .memory_bytes = 1LL << 30, .pods = 9};
  node.structure.Own() = "numa: 2, cores: 8";
  node.topology_policy = TopologyPolicy::kSingleNumaNode;
  cluster_.AddNode(node);
  for (const char* const name : {"a", "b"}) {
    Bind(*Create(name, seconds(10), 3'000), "numa");
  }
  Pass(milliseconds(1));
  Bind(*Create("c", seconds(1), 2'000), "numa");
  Bind(*Create("d", seconds(10), 1'500), "numa");  // not of whole cpus
  Pass(milliseconds(1));
  EXPECT_EQ(Now("b")->phase, PodPhase::kRunning);
  EXPECT_EQ(Now("c")->phase, PodPhase::kFailed);
  EXPECT_EQ(Now("c")->reason, "TopologyAffinityError");
  EXPECT_EQ(Now("d")->phase, PodPhase::kRunning);
  cluster_.EndPod("default", "a", 0);
  Bind(*Create("e", seconds(1), 2'000), "numa");
  Pass(milliseconds(1));
  EXPECT_EQ(Now("e")->phase, PodPhase::kRunning);
}

}  // namespace
}  // namespace fluxnetes::cluster
