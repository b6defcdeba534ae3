// Elastic groups start with few pods, grow while there is room, and are the
// first to make room for other groups.
#include "tests/invariants/behaviour/behaviour.h"
#include "workers/requests/cancel.h"

namespace fluxnetes::testing {
namespace {

using std::chrono::seconds;

class BehaviourOfElasticGroups : public Behaviour {
 protected:
  // A Job of `pods` pods that starts with `least` and grows to `most`.
  static std::string Elastic(const std::string& name, int pods, int least,
                             int most, GangShape shape) {
    shape.absent = least - pods;
    shape.most = most;
    return GangOf(name, least, shape);
  }
  // The number of the Job's pods with a node.
  int Runs(const std::string& job) {
    int running = 0;
    for (const auto& pod : system.cluster.TakeSnapshot().pods) {
      const bool is_its = pod->controller && pod->controller->name == job;
      if (is_its && !pod->node_name.empty() && !pod->terminating &&
          !cluster::HasEnded(*pod))
        ++running;
    }
    return running;
  }
};

TEST_F(BehaviourOfElasticGroups, StartWithTheirMinimumAndGrowToTheirMaximum) {
  Submit(GangOf("fills", 3, {.cpu = "2", .seconds = 30}));
  Submit(Elastic("train", 6, 2, 4, {.cpu = "2", .seconds = 300}));
  EXPECT_EQ(Runs("train"), 0);  // only one pod fits
  system.Advance(seconds(32));
  EXPECT_EQ(Runs("train"), 4);
  EXPECT_EQ(StateOf("train"), "bound");
  EXPECT_EQ(system.Ask("SELECT count(*) FROM pending WHERE reason LIKE "
                       "'held: until its group has grown by it'"),
            "2");
  RunToEndAndExpectNothingLeft();
  EXPECT_EQ(system.Ask("SELECT count(*) FROM group_history WHERE result <> "
                       "'succeeded'"),
            "0");
}

TEST_F(BehaviourOfElasticGroups, MakeRoomForOthersAndGrowAgain) {
  Submit(Elastic("train", 4, 1, 4, {.cpu = "2", .seconds = 300}));
  EXPECT_EQ(Runs("train"), 4);
  system.Advance(seconds(1));
  Submit(GangOf("other", 2, {.cpu = "2", .seconds = 60}));
  system.Advance(seconds(1));
  EXPECT_EQ(StateOf("other"), "bound");
  EXPECT_EQ(Runs("train"), 2);
  EXPECT_EQ(StateOf("train"), "bound");
  EXPECT_EQ(system.Ask("SELECT count(*) FROM group_history WHERE result = "
                       "'preempted' AND group_size = 1"),
            "2");
  system.Advance(seconds(62));
  EXPECT_EQ(Runs("train"), 4);
  RunToEndAndExpectNothingLeft();
}

TEST_F(BehaviourOfElasticGroups, AreNotShrunkBelowTheirMinimum) {
  Submit(Elastic("train", 4, 3, 4, {.cpu = "2", .seconds = 300}));
  EXPECT_EQ(Runs("train"), 4);
  Submit(GangOf("other", 2, {.cpu = "2", .seconds = 60}));
  system.Advance(seconds(5));
  EXPECT_EQ(StateOf("other"), "pending");
  EXPECT_GE(Runs("train"), 3);
  RunToEndAndExpectNothingLeft();
}

TEST_F(BehaviourOfElasticGroups, DoNotMakeRoomForOneAnother) {
  Submit(Elastic("train", 4, 1, 4, {.cpu = "2", .seconds = 300}));
  system.Advance(seconds(1));
  Submit(Elastic("tests", 4, 1, 4, {.cpu = "2", .seconds = 300}));
  system.Advance(seconds(5));
  EXPECT_EQ(Runs("train"), 3);
  EXPECT_EQ(Runs("tests"), 1);
  RunToEndAndExpectNothingLeft();
}

TEST_F(BehaviourOfElasticGroups, InQueuesThatGoStrictlyInOrderMakeRoomToo) {
  system.database.Execute("UPDATE queues SET queue_policy = 'fcfs'");
  Submit(Elastic("train", 4, 1, 4, {.cpu = "2", .seconds = 300}));
  system.Advance(seconds(1));
  Submit(GangOf("other", 1, {.cpu = "4", .seconds = 60}));
  system.Advance(seconds(1));
  EXPECT_EQ(StateOf("other"), "bound");
  RunToEndAndExpectNothingLeft();
}

TEST_F(BehaviourOfElasticGroups, GoWholeIfTheirMinimumIsEvicted) {
  system.database.Execute("UPDATE queues SET preemption = 'lower_priority'");
  Submit(Elastic("train", 4, 2, 4, {.cpu = "2", .seconds = 300}));
  system.Advance(seconds(1));
  Submit(GangOf("high", 2, {.cpu = "4", .seconds = 60, .priority = 5}));
  system.Advance(seconds(1));
  EXPECT_EQ(StateOf("high"), "bound");
  EXPECT_EQ(Runs("train"), 0);
  EXPECT_EQ(system.Ask("SELECT count(*) FROM group_history WHERE result = "
                       "'preempted'"),
            "3");
  system.Advance(seconds(62));
  EXPECT_EQ(Runs("train"), 4);
  RunToEndAndExpectNothingLeft();
}

TEST_F(BehaviourOfElasticGroups, KeepToTheirMaximumAsTheirPodsEnd) {
  Submit(Elastic("train", 8, 1, 2, {.cpu = "1", .seconds = 30}));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Runs("train"), 2);
    system.Advance(seconds(31));
  }
  RunToEndAndExpectNothingLeft();
  EXPECT_EQ(system.Ask("SELECT sum(group_size) FROM group_history"), "8");
}

TEST_F(BehaviourOfElasticGroups, ThatLoseAPodBeforeTheyStartFillAnew) {
  Submit(GangOf("fills", 4, {.cpu = "2", .seconds = 30}));
  Submit(Elastic("train", 4, 2, 4, {.cpu = "2", .seconds = 60}));
  for (const auto& pod : system.cluster.TakeSnapshot().pods) {
    if (pod->completion_index == 0 && pod->node_name.empty())
      system.cluster.Delete({"Pod", pod->namespace_name, pod->name, pod->uid});
  }
  system.Settle();
  system.Advance(seconds(32));
  EXPECT_EQ(Runs("train"), 4);
  RunToEndAndExpectNothingLeft();
}

// Its Job re-creates the lost pods; the pods beyond the minimum are evicted for
// them.
TEST_F(BehaviourOfElasticGroups, WhoseMinimumLosesItsNodeGetItAnewFirst) {
  Submit(Elastic("train", 4, 2, 4, {.cpu = "2", .seconds = 300}));
  ASSERT_EQ(system.Ask("SELECT nodes FROM running WHERE group_name = 'train'"),
            "{node0}");
  system.cluster.RemoveNode("node0");
  system.Settle();
  system.Advance(seconds(40));
  EXPECT_EQ(StateOf("train"), "bound");
  EXPECT_EQ(system.Ask("SELECT nodes FROM running WHERE group_name = 'train'"),
            "{node1}");
  EXPECT_EQ(system.Ask("SELECT running || ' ' || waiting FROM elastic_groups"),
            "2 2");
  EXPECT_EQ(Runs("train"), 2);
  cluster::Node node;
  node.name = "node2";
  node.allocatable = {
      .cpu_milli = 4'000, .memory_bytes = std::int64_t{16} << 30, .pods = 110};
  system.cluster.AddNode(node);
  system.Settle();
  system.Advance(seconds(5));
  EXPECT_EQ(Runs("train"), 4);
  RunToEndAndExpectNothingLeft();
}

TEST_F(BehaviourOfElasticGroups, LosePodsBeyondTheirMinimumWithANodeAlone) {
  Submit(Elastic("train", 4, 2, 4, {.cpu = "2", .seconds = 300}));
  system.cluster.RemoveNode("node1");
  system.Settle();
  system.Advance(seconds(40));
  EXPECT_EQ(StateOf("train"), "bound");
  EXPECT_EQ(Runs("train"), 2);
  EXPECT_EQ(system.Ask("SELECT running || ' ' || waiting FROM elastic_groups"),
            "2 2");
  RunToEndAndExpectNothingLeft();
}

// Bare pods are not re-created.
TEST_F(BehaviourOfElasticGroups, OfBarePodsShrinkForGood) {
  const GangShape shape{.cpu = "2", .seconds = 300, .most = 4};
  for (const char* name : {"a", "b", "c", "d"})
    system.Submit(PodOf(name, "train", 2, shape));
  system.Settle();
  EXPECT_EQ(StateOf("train"), "bound");
  EXPECT_EQ(system.Ask("SELECT running || ' ' || waiting FROM elastic_groups"),
            "4 0");
  system.Advance(seconds(1));
  Submit(GangOf("other", 1, {.cpu = "2", .seconds = 60}));
  system.Advance(seconds(1));
  EXPECT_EQ(StateOf("other"), "bound");
  EXPECT_EQ(StateOf("train"), "bound");
  system.Advance(seconds(65));
  EXPECT_EQ(system.Ask("SELECT running || ' ' || waiting FROM elastic_groups"),
            "3 0");
  RunToEndAndExpectNothingLeft();
}

TEST_F(BehaviourOfElasticGroups, AreCancelledWithAllTheirPods) {
  system.database.Execute("UPDATE queues SET deadline_action = 'pods'");
  Submit(Elastic("train", 4, 2, 4, {.cpu = "2", .seconds = 600}));
  EXPECT_EQ(workers::CancelGroup(system.process->pool, "default", "train",
                                 "not wanted", system.cluster.Now()),
            1);
  system.Settle();
  EXPECT_EQ(Runs("train"), 0);
  system.cluster.Delete({"Job", "default", "train", ""});
  RunToEndAndExpectNothingLeft();
}

}  // namespace
}  // namespace fluxnetes::testing
