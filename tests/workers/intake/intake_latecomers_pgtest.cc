#include "tests/workers/support/lifecycle_fixture.h"
#include "workers/cleanup/cleanup.h"

namespace fluxnetes::workers {
namespace {

// Pods that arrive when their group is already whole.
class LatecomersTest : public LifecycleTest {
 protected:
  LatecomersTest()
      : cleanup(database.pool(), *jobs, *client, door, Cleanup::Options{}) {}

  void Clean(cluster::Time now = kNoon) {
    while (cleanup.RunOnce(now)) {
    }
  }

  std::string ComeLate(const std::string& name = "late",
                       const std::string& owner = "train") {
    return Create({.name = name, .group = "train", .size = 3, .owner = owner});
  }

  // Its containers end in their grace period.
  void StartToDelete(const std::string& name) {
    door.ChangePod("default/" + name,
                   [](cluster::Pod& pod) { pod.terminating = true; });
    Observe();
  }

  std::string PlaceOf(const std::string& uid) {
    return Ask(
        "SELECT node_name FROM placements WHERE held_until IS NULL AND "
        "pod_uid = '" +
        uid + "'");
  }

  Cleanup cleanup;
};

TEST_F(LatecomersTest, ReplacementTakesThePlaceOfTheFailedMember) {
  Run("train", 3);
  const std::string failed = door.PodOf("default/train-1").uid;
  door.End("default/train-1", cluster::PodPhase::kFailed);
  Observe();
  Clean();
  EXPECT_EQ(Ask("SELECT held_until = p.ended_at + interval '30 seconds' FROM "
                "placements l JOIN pods p ON p.uid = l.pod_uid "
                "WHERE p.state = 'failed'"),
            "t");
  const std::string late = ComeLate();
  ObserveAndPromote();
  EXPECT_EQ(AskAll("SELECT pod_uid FROM placements WHERE pod_uid IN ('" + late +
                   "', '" + failed + "') AND held_until IS NULL"),
            late);
  EXPECT_EQ(Ask("SELECT replaced_by FROM pods WHERE uid = '" + failed + "'"),
            late);
  EXPECT_EQ(StateOf("train"), "bound");
  EXPECT_EQ(Ask("SELECT count(*) FROM jobs j JOIN pod_groups g ON "
                "(j.args ->> 'group')::bigint = g.id AND "
                "(j.args ->> 'revision')::int = g.revision "
                "WHERE j.kind = 'bind'"),
            "1");
  EXPECT_EQ(Ask("SELECT count(*) FROM match_inbox WHERE news = 'changed'"),
            "1");
  Bind("train");
  Observe();
  EXPECT_EQ(Ask("SELECT count(*) FROM pods WHERE state = 'bound'"), "3");
}

TEST_F(LatecomersTest, ReplacementIsSeenBeforeThePlaceIsHeld) {
  Run("train", 3);
  door.End("default/train-1", cluster::PodPhase::kFailed);
  const std::string late = ComeLate();
  ObserveAndPromote();
  Clean();
  EXPECT_EQ(
      Ask("SELECT node_name FROM placements WHERE pod_uid = '" + late + "'"),
      "n0");
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "3");
}

// As a Kubernetes Job makes it: podReplacementPolicy: TerminatingOrFailed.
TEST_F(LatecomersTest, ReplacementOfAMemberThatIsBeingDeletedTakesItsPlace) {
  Run("train", 3);
  const std::string leaving = door.PodOf("default/train-1").uid;
  StartToDelete("train-1");
  const std::string late = ComeLate();
  ObserveAndPromote();
  EXPECT_EQ(AskAll("SELECT group_name, state, first_in_line FROM pod_groups"),
            "train|pending|t");
  EXPECT_EQ(Ask("SELECT replaced_by FROM pods WHERE uid = '" + leaving + "'"),
            late);
  EXPECT_EQ(PlaceOf(leaving), "n0");  // it still runs there
  EXPECT_EQ(PlaceOf(late), "");

  door.Remove("default/train-1");
  Observe();
  Clean();
  EXPECT_EQ(PlaceOf(leaving), "");  // and it is held for nobody
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "2");
  EXPECT_EQ(StateOf("train"), "pending queued");
  Allocate("train");
  Bind("train");
  Observe();
  EXPECT_EQ(StateOf("train"), "bound");
}

TEST_F(LatecomersTest, VacancyIsTakenBeforeThatOfAMemberThatIsBeingDeleted) {
  Run("train", 3);
  StartToDelete("train-0");
  door.End("default/train-2", cluster::PodPhase::kFailed);
  Observe();
  Clean();
  ComeLate("first");
  ComeLate("second");
  ComeLate("third");
  ObserveAndPromote();
  EXPECT_EQ(AskAll("SELECT o.pod_name, r.pod_name FROM pods o JOIN pods r ON "
                   "r.uid = o.replaced_by ORDER BY 1"),
            "train-0|second\ntrain-2|first");
  EXPECT_EQ(StateOf("fluxnetes-group-default-third"), "pending queued");
}

TEST_F(LatecomersTest, MemberThatSucceedsWhileItIsBeingDeletedNeedsNobody) {
  Run("train", 3);
  StartToDelete("train-1");
  const std::string late = ComeLate("late");
  ObserveAndPromote();
  ASSERT_EQ(Ask("SELECT state FROM pods WHERE uid = '" + late + "'"),
            "waiting");
  // Its Job counts it, and deletes what is one pod too many.
  door.End("default/train-1", cluster::PodPhase::kSucceeded);
  Observe();
  door.Remove("default/late");
  Observe();
  Clean();
  EXPECT_EQ(StateOf("train"), "bound");
  for (const char* key : {"default/train-0", "default/train-2"})
    door.End(key, cluster::PodPhase::kSucceeded);
  Observe();
  Clean();
  EXPECT_EQ(Ask("SELECT result FROM group_history"), "succeeded");
}

TEST_F(LatecomersTest, ReplacementThatFailsSinceItIsSuperfluousDoesNotCount) {
  Run("train", 3);
  StartToDelete("train-1");
  const std::string late = ComeLate("late");
  ObserveAndPromote();
  Allocate("train");
  Bind("train");
  Observe();
  ASSERT_EQ(Ask("SELECT state FROM pods WHERE uid = '" + late + "'"), "bound");
  door.End("default/train-1", cluster::PodPhase::kSucceeded);
  Observe();
  // Its Job deletes it, and its node tells how it ended before it is gone.
  StartToDelete("late");
  door.End("default/late", cluster::PodPhase::kFailed);
  Observe();
  door.Remove("default/late");
  Observe();
  for (const char* key : {"default/train-0", "default/train-2"})
    door.End(key, cluster::PodPhase::kSucceeded);
  Observe();
  Clean();
  EXPECT_EQ(Ask("SELECT result FROM group_history"), "succeeded");
}

TEST_F(LatecomersTest, BarePodDoesNotReplaceOneThatIsBeingDeleted) {
  Run("train", 3);
  StartToDelete("train-1");
  ComeLate("late", "");
  ObserveAndPromote();
  EXPECT_EQ(Filling("train"), "1/3");
}

TEST_F(LatecomersTest, IndexDecidesWhoseplaceItIs) {
  door.owners["uid-of-train"] = {"Job", "default", "train", "uid-of-train"};
  for (int i = 0; i < 3; ++i) {
    cluster::Pod pod = PodOf({.name = "train-" + std::to_string(i),
                              .group = "train",
                              .size = 3,
                              .owner = "train"});
    pod.completion_index = i;
    door.Put(pod);
  }
  ObserveAndPromote();
  Allocate("train");
  Bind("train");
  Observe();
  database.Execute(
      "UPDATE placements SET node_name = 'n2' WHERE pod_uid = "
      "(SELECT uid FROM pods WHERE completion_index = 2)");
  door.End("default/train-1", cluster::PodPhase::kFailed);
  door.End("default/train-2", cluster::PodPhase::kFailed);
  Observe();
  cluster::Pod late =
      PodOf({.name = "late", .group = "train", .size = 3, .owner = "train"});
  late.completion_index = 2;
  door.Put(late);
  Observe();
  EXPECT_EQ(Ask("SELECT node_name FROM placements WHERE pod_uid = '" +
                late.uid + "'"),
            "n2");
}

TEST_F(LatecomersTest, ReplacementWhoseNodeIsClosedIsMatchedAloneAndFirst) {
  Run("train", 3);
  door.End("default/train-1", cluster::PodPhase::kFailed);
  Observe();
  Clean();
  cluster::Node node;
  node.name = "n0";
  node.unschedulable = true;
  door.PutNode(node);
  const std::string late = ComeLate();
  ObserveAndPromote();
  EXPECT_EQ(AskAll("SELECT state, phase, first_in_line, revision FROM "
                   "pod_groups"),
            "pending|queued|t|2");
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "2");
  EXPECT_EQ(Ask("SELECT count(*) FROM jobs j JOIN pod_groups g ON "
                "g.match_job = j.id WHERE j.kind = 'match'"),
            "1");
  EXPECT_EQ(Ask("SELECT state FROM pods WHERE uid = '" + late + "'"),
            "waiting");
}

TEST_F(LatecomersTest, ReplacementAfterTheHoldIsMatchedAloneAndFirst) {
  Run("train", 3);
  door.End("default/train-1", cluster::PodPhase::kFailed);
  Observe();
  Clean();
  Clean(kNoon + std::chrono::seconds(31));
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "2");
  ComeLate();
  ObserveAndPromote(kNoon + std::chrono::seconds(40));
  EXPECT_EQ(StateOf("train"), "pending queued");
  EXPECT_EQ(Ask("SELECT first_in_line FROM pod_groups"), "t");
}

TEST_F(LatecomersTest, WithoutAVacancyItIsSurplusInTheOrderOfTheGroup) {
  Run("train", 3);
  ComeLate();
  ObserveAndPromote();
  EXPECT_EQ(AskAll("SELECT group_name, group_size, state FROM pod_groups "
                   "ORDER BY id"),
            "train|3|bound\nfluxnetes-group-default-late|1|pending");
  EXPECT_EQ(Ask("SELECT count(DISTINCT submitted_at) FROM pod_groups"), "1");
  EXPECT_EQ(Filling("train"), "");
}

TEST_F(LatecomersTest, OneVacancyIsTakenOnce) {
  Run("train", 3);
  door.End("default/train-1", cluster::PodPhase::kFailed);
  Observe();
  ComeLate("late");
  ComeLate("later");
  ObserveAndPromote();
  EXPECT_EQ(AskAll("SELECT pod_name, group_name FROM pods JOIN pod_groups ON "
                   "id = group_id WHERE pod_name LIKE 'late%' ORDER BY 1"),
            "late|train\nlater|fluxnetes-group-default-later");
}

TEST_F(LatecomersTest, PodOfAnotherOwnerOpensTheNextGeneration) {
  Run("train", 3);
  ComeLate("late", "other");
  ObserveAndPromote();
  EXPECT_EQ(Filling("train"), "1/3");
  EXPECT_EQ(StateOf("train"), "bound");
}

TEST_F(LatecomersTest, PodOfAnotherAccountOpensTheNextGeneration) {
  Run("train", 2);
  cluster::Pod pod =
      PodOf({.name = "train-9", .group = "train", .size = 2, .owner = "train"});
  pod.labels["fluxnetes.account"] = "physics";
  door.Put(pod);
  ObserveAndPromote();
  EXPECT_EQ(Filling("train"), "1/2");
  EXPECT_EQ(Ask("SELECT count(*) FROM pod_groups"), "1");
}

TEST_F(LatecomersTest, BarePodOpensTheNextGeneration) {
  Run("train", 3);
  ComeLate("late", "");
  ObserveAndPromote();
  EXPECT_EQ(Filling("train"), "1/3");
}

TEST_F(LatecomersTest, PodThatComesWhenTheGroupIsOverOpensTheNextGeneration) {
  Run("train", 3);
  for (const char* key : {"train-0", "train-1", "train-2"})
    door.End(std::string("default/") + key, cluster::PodPhase::kSucceeded);
  Observe();
  ComeLate();  // cleanup has not seen it yet
  ObserveAndPromote();
  EXPECT_EQ(Filling("train"), "1/3");
  Clean();
  EXPECT_EQ(Ask("SELECT result FROM group_history"), "succeeded");
  EXPECT_EQ(Filling("train"), "1/3");
}

TEST_F(LatecomersTest, SameNameRunsAgainAfterTheFirstIsOver) {
  Run("train", 2);
  for (const char* key : {"default/train-0", "default/train-1"}) {
    door.End(key, cluster::PodPhase::kSucceeded);
    door.Remove(key);
  }
  Observe();
  Clean();
  Run("train", 2);
  EXPECT_EQ(StateOf("train"), "bound");
  EXPECT_EQ(Ask("SELECT count(*) FROM group_history"), "1");
}

TEST_F(LatecomersTest, GatedSurplusPodWaitsForItsGates) {
  Run("train", 3);
  cluster::Pod late =
      PodOf({.name = "late", .group = "train", .size = 3, .owner = "train"});
  late.gated = true;
  door.Put(late);
  ObserveAndPromote();
  EXPECT_EQ(Ask("SELECT count(*) FROM pod_groups"), "1");
  door.ChangePod("default/late", [](cluster::Pod& pod) { pod.gated = false; });
  ObserveAndPromote();
  EXPECT_EQ(StateOf("fluxnetes-group-default-late"), "pending queued");
  EXPECT_EQ(Filling("train"), "");
}

// If its leader is deleted, all workers follow it, and a new StatefulSet of
// workers belongs to the leader that comes in its stead.
TEST_F(LatecomersTest, LeaderOfALeaderWorkerSetComesWithNewWorkers) {
  const auto put = [this](const std::string& name, const std::string& owner) {
    cluster::Pod pod = PodOf({.name = name, .owner = owner});
    const std::string of_set = "leaderworkerset.sigs.k8s.io/";
    pod.controller->kind = "StatefulSet";
    pod.labels["fluxnetes.group-by"] = "leaderworkerset";
    pod.labels[of_set + "name"] = "vllm";
    pod.labels[of_set + "group-index"] = "0";
    pod.labels[of_set + "worker-index"] = name == "vllm-0" ? "0" : "1";
    pod.annotations[of_set + "size"] = "3";
    door.Put(pod);
    ObserveAndPromote();
  };
  for (const char* name : {"vllm-0", "vllm-0-1", "vllm-0-2"})
    put(name, name == std::string("vllm-0") ? "leaders" : "workers");
  Allocate("vllm-0");
  Bind("vllm-0");
  Observe();
  ASSERT_EQ(StateOf("vllm-0"), "bound");

  door.Remove("default/vllm-0-1");
  Observe();
  put("vllm-0-1", "workers");  // a worker alone is replaced
  EXPECT_EQ(Ask("SELECT count(*) FROM pods WHERE replaced_by IS NOT NULL"),
            "1");
  Bind("vllm-0");
  Observe();

  door.Remove("default/vllm-0");
  Observe();
  put("vllm-0", "leaders");
  EXPECT_EQ(Filling("vllm-0"), "1/3");
  for (const char* name : {"vllm-0-1", "vllm-0-2"}) {
    door.Remove(std::string("default/") + name);
    put(name, "new workers");
  }
  EXPECT_EQ(AskAll("SELECT group_size, state FROM pod_groups ORDER BY id"),
            "3|bound\n3|pending");
}

TEST_F(LatecomersTest, LauncherAndWorkersOfTwoJobsAreOneGroup) {
  Create({.name = "l", .group = "mpi", .size = 3, .owner = "launcher"});
  Create({.name = "w0", .group = "mpi", .size = 3, .owner = "workers"});
  Create({.name = "w1", .group = "mpi", .size = 3, .owner = "workers"});
  ObserveAndPromote();
  EXPECT_EQ(AskAll("SELECT group_name, owners FROM pod_groups"),
            "mpi|{uid-of-launcher,uid-of-workers}");
}

}  // namespace
}  // namespace fluxnetes::workers
