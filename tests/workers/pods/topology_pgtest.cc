// Groups that must be in one rack, from their labels to their bindings.
#include <tuple>

#include "tests/workers/support/match_fixture.h"
#include "workers/pods/topology_labels.h"

namespace fluxnetes::workers {
namespace {

using ::testing::HasSubstr;

constexpr const char* kRackKey = "topology.kubernetes.io/rack";

class Topology : public MatchTest {
 protected:
  Topology() {
    PutInRack("n0", "a", 4'000);
    PutInRack("n1", "b", 4'000);
    PutInRack("n2", "b", 4'000);
  }

  void PutInRack(const std::string& name, const std::string& rack,
                 std::int64_t cpu_milli) {
    cluster::Node node;
    node.name = name;
    if (!rack.empty()) node.labels[kRackKey] = rack;
    node.allocatable = {.cpu_milli = cpu_milli,
                        .memory_bytes = 1L << 40,
                        .ephemeral_bytes = 0,
                        .pods = 110,
                        .extended = {}};
    door.PutNode(node);
  }

  // After a change of the queue, gangs of one pod do not share a node.
  void ExpectWholeNodes() {
    match->worker.Stop();
    StartMatch();
    for (const char* gang : {"a", "b"}) CreateIn(gang, 0, 1, {});
    ObserveAndPromote();
    Match();
    EXPECT_EQ(PlacesOf("a"), "n0");
    EXPECT_EQ(PlacesOf("b"), "n1");
    EXPECT_EQ(Ask("SELECT bool_and(whole_nodes) FROM allocations"), "t");
  }

  void CreateIn(const std::string& gang, int member, int size,
                const std::map<std::string, std::string>& labels,
                std::int64_t cpu = 1'000) {
    cluster::Pod pod = PodOf({.name = gang + "-" + std::to_string(member),
                              .group = gang,
                              .size = size,
                              .owner = gang,
                              .cpu = cpu});
    for (const auto& [key, value] : labels) pod.labels[key] = value;
    door.owners["uid-of-" + gang] = {"Job", "default", gang, "uid-of-" + gang};
    door.Put(std::move(pod));
  }
  void CreateInParts(const std::string& gang, int size,
                     const std::string& levels) {
    for (int i = 0; i < size; ++i) {
      cluster::Pod pod = PodOf({.name = gang + "-" + std::to_string(i),
                                .group = gang,
                                .size = size,
                                .owner = gang,
                                .cpu = 2'500});
      pod.annotations[kTopologyRequiredLabel] = levels;
      door.owners["uid-of-" + gang] = {"Job", "default", gang,
                                       "uid-of-" + gang};
      door.Put(std::move(pod));
    }
    ObserveAndPromote();
    Match();
  }
  void CreateRacked(const std::string& gang, int size, std::int64_t cpu) {
    for (int i = 0; i < size; ++i)
      CreateIn(gang, i, size, {{kTopologyRequiredLabel, "rack"}}, cpu);
    ObserveAndPromote();
    Match();
  }

  std::string Refused(const std::string& pod) {
    return Ask(
        "SELECT coalesce(refused, '') FROM pods_provisional WHERE pod_name = "
        "'" +
        pod + "'");
  }
  std::string NodeOf(const std::string& pod) {
    return door.PodOf("default/" + pod).node_name;
  }
};

TEST_F(Topology, MembersThatDisagreeAreRefused) {
  CreateIn("train", 0, 2, {{kTopologyRequiredLabel, "rack"}});
  CreateIn("train", 1, 2, {{kTopologyRequiredLabel, "zone"}});
  ObserveAndPromote();
  EXPECT_EQ(Filling("train"), "1/2");
  EXPECT_EQ(
      Refused("train-1"),
      "asks for topology {\"required\": \"topology.kubernetes.io/zone\"}, "
      "but group default/train for {\"required\":"
      " \"topology.kubernetes.io/rack\"} (pod train-0 came first); all "
      "pods of a group that ask for any must ask for the same");
  EXPECT_EQ(Jobs("notice"), "1");
  door.ChangePod("default/train-1", [](cluster::Pod& pod) {
    pod.labels[kTopologyRequiredLabel] = "rack";
  });
  ObserveAndPromote();
  EXPECT_EQ(StateOf("train"), "pending queued");
}

TEST_F(Topology, UnknownLevelIsRefusedWithAnEvent) {
  CreateIn("train", 0, 1, {{kTopologyPreferredLabel, "row"}});
  ObserveAndPromote();
  EXPECT_THAT(Refused("train-0"),
              HasSubstr("it must be host, rack, zone or region"));
  EXPECT_THAT(Ask("SELECT args::text FROM jobs WHERE kind = 'notice'"),
              HasSubstr("host, rack, zone or region"));
}

TEST_F(Topology, WaitingMemberThatAsksForAnotherLeavesItsGroup) {
  CreateRacked("train", 2, 8'000);
  EXPECT_EQ(StateOf("train"), "unsatisfiable");
  for (const char* pod : {"default/train-0", "default/train-1"}) {
    door.ChangePod(pod, [](cluster::Pod& changed) {
      changed.labels.erase(kTopologyRequiredLabel);
    });
  }
  ObserveAndPromote();
  EXPECT_EQ(Ask("SELECT count(*) FROM pods WHERE request ? 'topology'"), "0");
  EXPECT_EQ(StateOf("train"), "pending queued");
}

TEST_F(Topology, GroupIsPlacedInOneRackAlsoAfterARestart) {
  CreateRacked("small", 1, 1'000);
  EXPECT_EQ(PlacesOf("small"), "n0");
  BindPlaced();
  // Another process has only the rows.
  CreateIn("train", 0, 2, {{kTopologyRequiredLabel, "rack"}}, 2'500);
  CreateIn("train", 1, 2, {{kTopologyRequiredLabel, "rack"}}, 2'500);
  ObserveAndPromote();
  match->worker.Stop();
  StartIntake();
  StartMatch();
  Observe();
  Match();
  EXPECT_EQ(PlacesOf("train"), "n1 n2");
  BindPlaced();
  EXPECT_EQ(StateOf("train"), "bound");
}

TEST_F(Topology, NodeRelabelledBeforeTheFirstBindingSendsTheGroupBackWhole) {
  CreateRacked("train", 2, 3'500);
  EXPECT_EQ(PlacesOf("train"), "n1 n2");
  PutInRack("n2", "a", 4'000);
  Observe();
  BindPlaced();
  EXPECT_EQ(StateOf("train"), "pending queued");
  EXPECT_EQ(NodeOf("train-0"), "");
  EXPECT_EQ(Ask("SELECT reason FROM pod_groups"),
            "placed again: nodes n1 and n2 are no longer of the same rack "
            "(topology.kubernetes.io/rack)");
  Match();
  BindPlaced();
  EXPECT_EQ(NodeOf("train-0") + NodeOf("train-1"), "n0n2");
  // Once they are bound, a label changes nothing.
  PutInRack("n2", "b", 4'000);
  Observe();
  Match();
  EXPECT_EQ(StateOf("train"), "bound");
}

TEST_F(Topology, ReplacementGoesToTheRackOfTheOthers) {
  CreateRacked("train", 3, 2'000);
  EXPECT_EQ(PlacesOf("train"), "n1 n1 n2");
  BindPlaced();
  Observe();
  ASSERT_EQ(StateOf("train"), "bound");
  // The place of the lost member cannot be used any more; n0 is free.
  cluster::Node closed;
  closed.name = "n2";
  closed.labels[kRackKey] = "b";
  closed.unschedulable = true;
  closed.allocatable.cpu_milli = 4'000;
  closed.allocatable.pods = 110;
  door.PutNode(closed);
  door.End("default/train-2", cluster::PodPhase::kFailed);
  CreateIn("train", 3, 3, {{kTopologyRequiredLabel, "rack"}}, 2'000);
  ObserveAndPromote();
  Match();
  EXPECT_EQ(Ask("SELECT l.node_name FROM placements l JOIN pods p ON p.uid = "
                "l.pod_uid WHERE p.pod_name = 'train-3'"),
            "");
  EXPECT_THAT(Ask("SELECT coalesce(g.reason, w.reason) FROM pod_groups g LEFT "
                  "JOIN wait_reasons w USING (queue, shape)"),
              HasSubstr("rack (topology.kubernetes.io/rack)"));
  PutInRack("n3", "b", 4'000);
  Observe();
  Match();
  BindPlaced();
  EXPECT_EQ(NodeOf("train-3"), "n3");
  EXPECT_EQ(StateOf("train"), "bound");
}

TEST_F(Topology, WholeNodesAreHeldAlsoAfterARestart) {
  CreateIn("train", 0, 1, {{kExclusiveLabel, "true"}});
  ObserveAndPromote();
  Match();
  EXPECT_EQ(PlacesOf("train"), "n0");
  EXPECT_EQ(Ask("SELECT whole_nodes FROM allocations"), "t");
  BindPlaced();
  match->worker.Stop();
  StartIntake();
  StartMatch();
  Observe();
  CreateIn("other", 0, 1, {});
  ObserveAndPromote();
  Match();
  EXPECT_EQ(PlacesOf("other"), "n1");
}

TEST_F(Topology, QueueThatIsExclusiveGivesWholeNodes) {
  Ask("UPDATE queues SET exclusive = true RETURNING 1");
  ExpectWholeNodes();
}

TEST_F(Topology, QueueWhosePolicyTakesWholeNodesGivesThem) {
  Ask("UPDATE queues SET match_policy = 'lonodex' RETURNING 1");
  ExpectWholeNodes();
}

TEST_F(Topology, PodsOfDaemonSetsDoNotKeepAGroupFromANode) {
  for (const char* node : {"n0", "n1", "n2"}) {
    cluster::Pod pod = PodOf({.name = std::string("on-") + node, .cpu = 100});
    pod.scheduler_name = "default-scheduler";
    pod.node_name = node;
    pod.phase = cluster::PodPhase::kRunning;
    if (std::string(node) != "n0")
      pod.controller = cluster::Owner{"DaemonSet", "logs", "uid-of-logs"};
    door.Put(std::move(pod));
  }
  Observe();
  CreateIn("train", 0, 1, {{kExclusiveLabel, "true"}});
  ObserveAndPromote();
  Match();
  EXPECT_EQ(PlacesOf("train"), "n1");
}

TEST_F(Topology, SoManyPodsGoToARack) {
  PutInRack("n3", "a", 4'000);
  CreateInParts("train", 4, "rack:2");
  EXPECT_EQ(PlacesOf("train"), "n0 n3 n1 n2");
  BindPlaced();
  EXPECT_EQ(StateOf("train"), "bound");
}

TEST_F(Topology, RackThatLacksPodsSendsTheGroupBackWhole) {
  PutInRack("n3", "a", 4'000);
  CreateInParts("train", 4, "rack:2");
  ASSERT_EQ(PlacesOf("train"), "n0 n3 n1 n2");
  PutInRack("n3", "b", 4'000);
  Observe();
  BindPlaced();
  EXPECT_EQ(StateOf("train"), "pending queued");
  EXPECT_EQ(Ask("SELECT reason FROM pod_groups"),
            "placed again: there are 1 pods in a by now, no multiple of 2, as "
            "one rack (topology.kubernetes.io/rack) must have");
  EXPECT_EQ(Ask("SELECT count(*) FROM pods WHERE node_name IS NOT NULL"), "0");
}

TEST_F(Topology, PodOnAWholeNodeSendsTheGroupBack) {
  CreateIn("train", 0, 1, {{kExclusiveLabel, "true"}});
  ObserveAndPromote();
  Match();
  ASSERT_EQ(PlacesOf("train"), "n0");
  cluster::Pod pod = PodOf({.name = "web", .cpu = 100});
  pod.scheduler_name = "default-scheduler";
  pod.node_name = "n0";
  pod.phase = cluster::PodPhase::kRunning;
  door.Put(std::move(pod));
  Observe();
  BindPlaced();
  EXPECT_EQ(StateOf("train"), "pending queued");
  EXPECT_EQ(
      Ask("SELECT reason FROM pod_groups"),
      "placed again: node n0 got pod default/web meanwhile, and the group "
      "must have it for itself");
  Match();
  BindPlaced();
  EXPECT_EQ(NodeOf("train-0"), "n1");
}

TEST_F(Topology, QueueNamesTheLevels) {
  Ask("UPDATE queues SET topology = '{example.com/block, example.com/rack}' "
      "RETURNING 1");
  for (const auto& [node, block, rack] :
       {std::tuple("n0", "x", "1"), std::tuple("n1", "x", "2"),
        std::tuple("n2", "y", "3"), std::tuple("n3", "y", "3")}) {
    cluster::Node labelled;
    labelled.name = node;
    labelled.labels = {{"example.com/block", block},
                       {"example.com/rack", rack}};
    labelled.allocatable = {.cpu_milli = 4'000,
                            .memory_bytes = 1L << 40,
                            .ephemeral_bytes = 0,
                            .pods = 110,
                            .extended = {}};
    door.PutNode(std::move(labelled));
  }
  // As a label, which cannot hold the key itself.
  for (int i = 0; i < 2; ++i)
    CreateIn("blocked", i, 2, {{kTopologyRequiredLabel, "block"}}, 3'000);
  ObserveAndPromote();
  Match();
  EXPECT_EQ(PlacesOf("blocked"), "n0 n1");
  CreateInParts("racked", 2, "rack:2,block:2");
  EXPECT_EQ(PlacesOf("racked"), "n2 n3");
  CreateInParts("wrong", 2, "block:2,rack:2");
  EXPECT_THAT(Ask("SELECT refused FROM pods_provisional LIMIT 1"),
              HasSubstr("rack is not wider than block in the setting topology "
                        "of the queue"));
}

TEST_F(Topology, PriorityAndConstraintOfANativePodGroupCount) {
  const cluster::PodGroupName name{cluster::PodGroupApi::kNative, "default",
                                   "workers"};
  cluster::PodGroup group;
  group.name = name;
  group.min_members = 2;
  group.topology = {kRackKey};
  group.priority = 7;
  door.Put(group);
  for (int i = 0; i < 2; ++i) {
    cluster::Pod pod = PodOf({.name = "w" + std::to_string(i), .cpu = 3'500});
    pod.scheduling_group = "workers";
    pod.priority = 3;
    door.Put(std::move(pod));
  }
  ObserveAndPromote();
  Match();
  EXPECT_EQ(PlacesOf("workers"), "n1 n2");
  EXPECT_EQ(Ask("SELECT priority FROM pod_groups"), "7");
}

}  // namespace
}  // namespace fluxnetes::workers
