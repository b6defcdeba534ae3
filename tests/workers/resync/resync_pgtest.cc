// The full comparison, on the whole system: each kind of difference, planted
// without an event, is found once, named and repaired; otherwise nothing is
// found.
#include <gtest/gtest.h>

#include "sql/faults.h"
#include "tests/invariants/behaviour/manifests.h"
#include "tests/support/whole_system.h"

#ifdef FLUXNETES_FAULTS
namespace fluxnetes::testing {
namespace {

using std::chrono::seconds;
using workers::DifferenceKind;

class ResyncTest : public ::testing::Test {
 protected:
  ~ResyncTest() override { sql::PlantBug(""); }

  void Submit(const std::string& manifests) {
    system.Submit(manifests);
    system.Settle();
  }
  void Compare() {
    system.process->resync.CompareEverything();
    system.Settle();
  }
  // "pod 1, job 2": the differences found so far.
  std::string Found() {
    return system.Ask(
        "SELECT coalesce(string_agg(kind || ' ' || found, ', ' ORDER BY kind), "
        "'') FROM resync_differences");
  }
  std::string NamesOf(const std::string& kind) {
    return system.Ask("SELECT names FROM resync_differences WHERE kind = '" +
                      kind + "'");
  }
  std::string StateOf(const std::string& group) {
    return system.Ask("SELECT state FROM pod_groups WHERE group_name = '" +
                      group + "'");
  }
  // Runs one worker after the other until a group is allocated.
  void Allocate(const std::string& manifests) {
    system.Settle();
    system.Submit(manifests);
    const auto now = system.cluster.Now();
    system.process->intake.RunOnce(now);
    system.process->promoter.RunOnce(now);
    while (system.process->match.RunOnce(now)) {
    }
  }
  // Hides what `act` does from the watch, which then goes on.
  template <typename Act>
  void Unseen(Act act) {
    system.Settle();
    sql::PlantBug("event-lost");
    act();
    system.process->intake.RunOnce(system.cluster.Now());
    sql::PlantBug("");
    Submit(PodOf("later", "", 1, {.cpu = "1"}));
  }
  void AddOther(const std::string& name, const std::string& node) {
    cluster::PodTemplate other{};
    other.pod.namespace_name = "kube-system";
    other.pod.name = name;
    other.pod.scheduler_name = "default-scheduler";
    other.pod.node_name = node;
    other.pod.request.resources = {.cpu_milli = 1'000, .pods = 1};
    other.run.length.reset();
    ASSERT_NE(system.cluster.CreatePod(other), nullptr);
  }

  WholeSystem system{"nodes: [{count: 2, name: node, cpu: 4, memory: 16Gi}]"};
};

TEST_F(ResyncTest, HealthySystemHasNoDifference) {
  Submit(GangOf("train", 4, {.cpu = "2", .seconds = 600}));
  Submit(GangOf("waits", 4, {.cpu = "2", .seconds = 600}));
  Submit(GangOf("fills", 4, {.absent = 1}));
  AddOther("daemon", "node0");
  system.Settle();
  Compare();
  EXPECT_EQ(Found(), "");
  EXPECT_GE(system.process->intake.counts().resyncs, 2);
}

TEST_F(ResyncTest, WhatWeWroteOurselvesMayBeRecordedBeforeTheWatchTellsOfIt) {
  Submit(GangOf("fills", 4, {.absent = 1}));
  const std::string versions =
      "SELECT string_agg(resource_version, ' ' ORDER BY uid) FROM "
      "pods_provisional";
  const std::string told = system.Ask(versions);
  system.database.Execute(
      "UPDATE pods_provisional SET resource_version = "
      "resource_version::bigint + 1000");
  Compare();
  EXPECT_EQ(Found(), "");
  EXPECT_EQ(system.Ask(versions), told);
  system.database.Execute(
      "UPDATE pods_provisional SET resource_version = "
      "resource_version::bigint - 1");
  Compare();
  EXPECT_EQ(Found(), "pod 3");
  EXPECT_EQ(system.Ask(versions), told);
}

TEST_F(ResyncTest, ComparesByItselfEveryFewMinutes) {
  Submit(PodOf("runs", "", 1, {.seconds = 600}));
  system.database.Execute("UPDATE placements SET node_name = 'node1'");
  system.Advance(seconds(301));
  system.Settle();
  EXPECT_EQ(Found(), "pod 1");
  EXPECT_EQ(system.Ask("SELECT node_name FROM placements"), "node0");
}

TEST_F(ResyncTest, ChangeOfAPodThatTheWatchNeverToldIsFound) {
  Submit(PodOf("ends", "", 1, {.cpu = "2", .seconds = 600}));
  system.Advance(seconds(1));
  Unseen([this] { system.cluster.EndPod("default", "ends", 0); });
  ASSERT_EQ(StateOf("fluxnetes-group-default-ends"), "bound");
  Compare();
  EXPECT_EQ(Found(), "pod event 1");
  EXPECT_EQ(NamesOf("pod event"), "{default/ends}");
  EXPECT_EQ(StateOf("fluxnetes-group-default-ends"), "");
  EXPECT_EQ(system.Ask("SELECT count(*) FROM placements"), "1");
}

TEST_F(ResyncTest, NewPodThatTheWatchNeverToldIsFound) {
  Unseen([this] { system.Submit(PodOf("new", "", 1, {.seconds = 600})); });
  ASSERT_EQ(StateOf("fluxnetes-group-default-new"), "");
  Compare();
  EXPECT_EQ(Found(), "pod event 1");
  EXPECT_EQ(StateOf("fluxnetes-group-default-new"), "bound");
}

TEST_F(ResyncTest, DeletionThatTheWatchNeverToldIsFound) {
  Submit(GangOf("fills", 4, {.absent = 3}));
  ASSERT_EQ(system.Ask("SELECT count(*) FROM pods_provisional"), "1");
  Unseen([this] { system.cluster.Delete({"Job", "default", "fills", ""}); });
  Compare();
  EXPECT_EQ(Found(), "");  // the change may not have arrived yet
  Submit(PodOf("after", "", 1, {.cpu = "1"}));
  system.Settle();
  EXPECT_EQ(Found(), "pod event 1");
  EXPECT_EQ(system.Ask("SELECT count(*) FROM pods_provisional"), "0");
}

TEST_F(ResyncTest, NodeThatTheWatchNeverToldIsFound) {
  Unseen([this] { system.cluster.Cordon("node0"); });
  Submit(PodOf("first", "", 1, {.cpu = "1"}));
  system.cluster.AddTaint("node1", {"team", "red", "PreferNoSchedule"});
  system.Settle();
  Compare();
  EXPECT_EQ(Found(), "node event 1");
  EXPECT_EQ(NamesOf("node event"), "{node0}");
  EXPECT_TRUE(system.process->cache.NodeByName("node0")->unschedulable);
}

TEST_F(ResyncTest, ClusterThatIsAwayIsListedWhenItIsBack) {
  Unseen([this] { system.Submit(PodOf("lost", "", 1, {.cpu = "1"})); });
  system.cluster.SetReachable(false);
  system.process->resync.CompareEverything();
  EXPECT_FALSE(system.process->resync.RunOnce(system.cluster.Now()));
  system.cluster.SetReachable(true);
  system.Settle();
  EXPECT_EQ(NamesOf("pod event"), "{default/lost}");
}

TEST_F(ResyncTest, WhatIsOnItsWayIsNoDifference) {
  Submit(PodOf("ends", "", 1, {.cpu = "2", .seconds = 600}));
  system.Advance(seconds(1));
  system.cluster.SetWatchFaults({.delay = std::chrono::milliseconds(500)});
  system.cluster.EndPod("default", "ends", 0);
  system.Submit(PodOf("new", "", 1, {.seconds = 600}));
  Compare();
  system.Advance(seconds(1));
  Compare();
  EXPECT_EQ(Found(), "");
}

TEST_F(ResyncTest, RecordOfAPodThatIsWrongIsHealed) {
  Submit(GangOf("train", 2, {.seconds = 600}));
  system.database.Execute(
      "UPDATE pods SET state = 'waiting', node_name = NULL "
      "WHERE completion_index = 0");
  Compare();
  // So the group had no bind job either.
  EXPECT_EQ(Found(), "job 1, pod 1");
  EXPECT_EQ(system.Ask("SELECT count(*) FROM pods WHERE state = 'bound'"), "2");
}

TEST_F(ResyncTest, RecordAndPlaceOfAPodThatAreGoneComeBack) {
  Submit(GangOf("fills", 4, {.absent = 2}));
  Submit(GangOf("train", 2, {.seconds = 600}));
  system.database.Execute(
      "DELETE FROM placements WHERE pod_uid IN (SELECT uid FROM pods "
      "WHERE completion_index = 0)");
  Compare();
  EXPECT_EQ(system.Ask("SELECT count(*) FROM placements"), "2");
  EXPECT_EQ(Found(), "pod 1");
  system.database.Execute(
      "DELETE FROM pods_provisional WHERE completion_index = 0");
  Compare();
  EXPECT_EQ(system.Ask("SELECT members FROM groups_provisional"), "2");
}

TEST_F(ResyncTest, GroupThatIsMiscountedIsCountedAgain) {
  Submit(GangOf("fills", 4, {.absent = 2}));
  system.database.Execute("UPDATE groups_provisional SET members = 3");
  Compare();
  EXPECT_EQ(Found(), "group 1");
  EXPECT_EQ(NamesOf("group"), "{default/fills}");
  EXPECT_EQ(system.Ask("SELECT members FROM groups_provisional"), "2");
}

TEST_F(ResyncTest, HoldOfAGroupWhosePodsAreAllRefusedIsNoDifference) {
  Submit(GangOf("fills", 4, {.absent = 3}));
  system.database.Execute("UPDATE groups_provisional SET held_at = now()");
  system.cluster.SetLabels("default",
                           system.Ask("SELECT pod_name FROM pods_provisional"),
                           {{"fluxnetes.group-name", "fills"},
                            {"fluxnetes.group-size", "4"},
                            {"fluxnetes.queue", "nowhere"}});
  system.Settle();
  ASSERT_EQ(system.Ask("SELECT members FROM groups_provisional"), "0");
  Compare();
  EXPECT_EQ(Found(), "");
  EXPECT_EQ(system.Ask("SELECT members FROM groups_provisional"), "0");
}

TEST_F(ResyncTest, GroupThatNobodyIsToPlaceIsPlaced) {
  Submit(GangOf("train", 4, {.cpu = "2", .seconds = 60}));
  Submit(GangOf("waits", 4, {.cpu = "2", .seconds = 60}));
  system.database.Execute("DELETE FROM jobs WHERE kind = 'match'");
  Compare();
  EXPECT_EQ(Found(), "job 1");
  EXPECT_EQ(NamesOf("job"), "{default/waits}");
  system.Advance(seconds(61));
  EXPECT_EQ(StateOf("waits"), "bound");
}

TEST_F(ResyncTest, GroupThatNobodyIsToBindIsBound) {
  Allocate(GangOf("train", 4, {.cpu = "2", .seconds = 60}));
  ASSERT_EQ(StateOf("train"), "allocated");
  system.database.Execute("DELETE FROM jobs WHERE kind = 'bind'");
  Compare();
  EXPECT_EQ(Found(), "job 1");
  EXPECT_EQ(StateOf("train"), "bound");
}

TEST_F(ResyncTest, GroupThatNobodyIsToCleanUpIsOver) {
  Submit(GangOf("train", 2, {.seconds = 60}));
  system.database.Execute(
      "UPDATE pods SET state = 'succeeded', ended_at = bound_at");
  system.Advance(seconds(30));
  Compare();
  EXPECT_EQ(NamesOf("job"), "{default/train}");
  EXPECT_EQ(StateOf("train"), "");
  EXPECT_EQ(system.Ask("SELECT count(*) FROM placements"), "0");
}

TEST_F(ResyncTest, PlaceOfNobodyIsGivenBack) {
  Submit(GangOf("train", 2, {.seconds = 600}));
  system.database.Execute(
      "INSERT INTO placements SELECT fluxion_job, 'nobody', 'node1', 1000, 0 "
      "FROM allocations");
  Compare();
  EXPECT_EQ(Found(), "place 1");
  EXPECT_EQ(NamesOf("place"), "{\"nobody on node1\"}");
  EXPECT_EQ(system.Ask("SELECT count(*) FROM placements"), "2");
}

TEST_F(ResyncTest, PlaceThatTheGraphDidNotGiveBackIsFree) {
  Submit(GangOf("train", 4, {.cpu = "2", .seconds = 600}));
  system.Advance(seconds(1));
  sql::PlantBug("lost-release");
  system.cluster.Delete({"Job", "default", "train", ""});
  system.Advance(seconds(1));
  sql::PlantBug("");
  Submit(GangOf("next", 4, {.cpu = "2", .seconds = 600}));
  ASSERT_EQ(StateOf("next"), "pending");
  Compare();
  EXPECT_EQ(Found(), "graph places 2");
  EXPECT_EQ(NamesOf("graph places"), "{node0,node1}");
  EXPECT_EQ(StateOf("next"), "bound");
}

TEST_F(ResyncTest, UseByOthersThatTheGraphHasWrongIsCharged) {
  system.Settle();
  sql::PlantBug("others-forgotten");
  AddOther("daemon", "node0");
  system.Settle();
  sql::PlantBug("");
  Compare();
  EXPECT_EQ(Found(), "graph node 1");
  EXPECT_EQ(NamesOf("graph node"), "{node0}");
  Submit(GangOf("train", 4, {.cpu = "2", .seconds = 600}));
  EXPECT_NE(StateOf("train"), "bound");
}

}  // namespace
}  // namespace fluxnetes::testing
#endif
