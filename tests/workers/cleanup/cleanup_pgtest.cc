#include "sql/faults.h"
#include "tests/workers/support/lifecycle_fixture.h"
#include "workers/cleanup/cleanup.h"
#include "workers/loops/group_jobs.h"

namespace fluxnetes::workers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr cluster::Time kDeadline = kNoon + std::chrono::seconds(60);

class CleanupTest : public LifecycleTest {
 protected:
  CleanupTest()
      : cleanup(database.pool(), *jobs, *client, door,
                {.on_refused = [this](const std::string& why) {
                  refused.push_back(why);
                }}) {}

  void Clean(cluster::Time now = kNoon) {
    while (cleanup.RunOnce(now)) {
    }
  }

  void End(const std::string& key, cluster::PodPhase phase) {
    door.End(key, phase);
    Observe();
  }

  std::string News() {
    return AskAll("SELECT news, pod_uid FROM match_inbox ORDER BY id");
  }
  std::string Result() { return AskAll("SELECT result FROM group_history"); }

  std::vector<std::string> refused;
  Cleanup cleanup;
};

TEST_F(CleanupTest, PodThatSucceededFreesItsPlaceAtOnceItsSiblingsKeepTheirs) {
  Run("train", 3);
  const std::string uid = door.PodOf("default/train-1").uid;
  End("default/train-1", cluster::PodPhase::kSucceeded);
  Clean();
  EXPECT_EQ(AskAll("SELECT pod_name FROM pods JOIN placements ON uid = pod_uid "
                   "ORDER BY pod_name"),
            "train-0\ntrain-2");
  EXPECT_EQ(News(), "released|" + uid);
  EXPECT_EQ(StateOf("train"), "bound");
  EXPECT_EQ(Jobs("cleanup"), "0");
}

TEST_F(CleanupTest, GroupIsOverWhenItsLastPodHasEnded) {
  Run("train", 2);
  End("default/train-0", cluster::PodPhase::kSucceeded);
  Clean();
  EXPECT_EQ(Result(), "");
  End("default/train-1", cluster::PodPhase::kSucceeded);
  Clean();
  EXPECT_EQ(AskAll("SELECT group_name, group_size, result, reason, nodes, "
                   "pods -> 1 ->> 'name', pods -> 1 ->> 'node', "
                   "pods -> 1 ->> 'state' FROM group_history"),
            "train|2|succeeded|NULL|{n0}|train-1|n0|succeeded");
  for (const char* table : {"pod_groups", "pods", "allocations", "placements"})
    EXPECT_EQ(Ask(std::string("SELECT count(*) FROM ") + table), "0") << table;
  EXPECT_EQ(Ask("SELECT count(*) FROM match_inbox WHERE news = 'released' AND "
                "pod_uid IS NULL"),
            "1");
}

TEST_F(CleanupTest, PlaceOfAFailedPodIsHeldForItsReplacement) {
  Run("train", 2);
  End("default/train-0", cluster::PodPhase::kFailed);
  Clean();
  EXPECT_EQ(Ask("SELECT count(*) FROM placements WHERE held_until IS NOT NULL"),
            "1");
  EXPECT_EQ(News(), "");
  Clean(kNoon + std::chrono::seconds(29));
  EXPECT_EQ(News(), "");
  Clean(kNoon + std::chrono::seconds(30));
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "1");
  EXPECT_EQ(Ask("SELECT count(*) FROM match_inbox"), "1");
}

TEST_F(CleanupTest, NothingIsHeldWhenTheControllerIsGone) {
  Run("train", 2);
  door.owners.clear();
  End("default/train-0", cluster::PodPhase::kFailed);
  Clean();
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "1");
}

TEST_F(CleanupTest, NothingIsHeldForAJobThatHasFailed) {
  Run("train", 2);
  door.over.insert("uid-of-train");
  End("default/train-0", cluster::PodPhase::kFailed);
  Clean();
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "1");
}

TEST_F(CleanupTest, HeldPlaceIsFreeAsSoonAsTheJobIsKnownToHaveFailed) {
  Run("train", 2);
  const std::string uid = door.PodOf("default/train-0").uid;
  End("default/train-0", cluster::PodPhase::kFailed);
  Clean();
  door.over.insert("uid-of-train");
  Clean(kNoon + std::chrono::milliseconds(100));
  EXPECT_EQ(News(), "");
  Clean(kNoon + std::chrono::seconds(1));
  EXPECT_EQ(News(), "released|" + uid);
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "1");
}

TEST_F(CleanupTest, GroupIsOverAsSoonAsItsFailedJobHasNothingToReplace) {
  Run("train", 1);
  End("default/train-0", cluster::PodPhase::kFailed);
  Clean();
  EXPECT_EQ(Result(), "");
  door.over.insert("uid-of-train");
  Clean();
  Clean(kNoon + std::chrono::seconds(1));
  EXPECT_EQ(Result(), "failed");
}

TEST_F(CleanupTest, ControllerIsAskedAgainLessAndLessOften) {
  Run("train", 2);
  End("default/train-0", cluster::PodPhase::kFailed);
  for (int i = 0; i < 290; ++i)
    Clean(kNoon + i * std::chrono::milliseconds(100));
  EXPECT_GT(door.asked_for_owners, 4);
  EXPECT_LT(door.asked_for_owners, 9);
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "2");
}

TEST_F(CleanupTest, HeldPlacesStayWhileTheClusterIsAway) {
  Run("train", 2);
  End("default/train-0", cluster::PodPhase::kFailed);
  Clean();
  Clean();
  door.reachable = false;
  EXPECT_THROW(cleanup.RunOnce(kNoon + std::chrono::seconds(1)),
               cluster::Unreachable);
  EXPECT_EQ(Ask("SELECT count(*) FROM placements WHERE held_until IS NOT NULL"),
            "1");
}

TEST_F(CleanupTest, NothingIsHeldForBarePods) {
  Create({.name = "a", .group = "train", .size = 2});
  Create({.name = "b", .group = "train", .size = 2});
  ObserveAndPromote();
  Allocate("train");
  Bind("train");
  Observe();
  End("default/a", cluster::PodPhase::kFailed);
  Clean();
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "1");
}

TEST_F(CleanupTest, NothingIsHeldForALonePodWhoseReplacementHasAnotherName) {
  door.owners["uid-of-job"] = {"Job", "default", "job", "uid-of-job"};
  Create({.name = "a", .owner = "job"});
  ObserveAndPromote();
  Allocate("fluxnetes-group-default-a");
  Bind("fluxnetes-group-default-a");
  Observe();
  End("default/a", cluster::PodPhase::kFailed);
  Clean();
  EXPECT_EQ(Result(), "failed");
}

TEST_F(CleanupTest, NothingIsHeldWhereTheQueueSaysSo) {
  database.Execute("UPDATE queues SET replacement_hold = '0'");
  Run("train", 2);
  End("default/train-0", cluster::PodPhase::kFailed);
  Clean();
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "1");
}

TEST_F(CleanupTest, DeletedPodsFreeEverythingOnceAllAreGone) {
  Run("train", 2);  // its Job still exists, as when it is suspended
  door.Remove("default/train-0");
  Observe();
  Clean();
  EXPECT_EQ(Ask("SELECT count(*) FROM placements WHERE held_until IS NOT NULL"),
            "1");
  door.Remove("default/train-1");
  Observe();
  Clean();
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "0");
  EXPECT_EQ(AskAll("SELECT result, reason FROM group_history"),
            "cancelled|its pods were deleted");
}

TEST_F(CleanupTest, JobThatIsDeletedFreesEverythingAtOnce) {
  Run("train", 3);
  door.owners.clear();
  for (const char* key : {"train-0", "train-1", "train-2"})
    door.Remove(std::string("default/") + key);
  Observe();
  Clean();
  EXPECT_EQ(Ask("SELECT count(*) FROM pod_groups"), "0");
  EXPECT_EQ(Result(), "cancelled");
}

TEST_F(CleanupTest, GroupWithAFailedPodHasFailed) {
  Run("train", 2);
  End("default/train-0", cluster::PodPhase::kSucceeded);
  door.owners.clear();
  End("default/train-1", cluster::PodPhase::kFailed);
  Clean();
  EXPECT_EQ(AskAll("SELECT result, reason FROM group_history"),
            "failed|pod train-1 failed");
}

TEST_F(CleanupTest, ReplacedFailureDoesNotCount) {
  Run("train", 2);
  End("default/train-0", cluster::PodPhase::kFailed);
  Create({.name = "late", .group = "train", .size = 2, .owner = "train"});
  ObserveAndPromote();
  Bind("train");
  Observe();
  for (const char* key : {"default/late", "default/train-1"})
    End(key, cluster::PodPhase::kSucceeded);
  Clean();
  EXPECT_EQ(Result(), "succeeded");
  EXPECT_EQ(Ask("SELECT jsonb_array_length(pods) FROM group_history"), "3");
}

TEST_F(CleanupTest, AbandonedGroupIsInTheHistory) {
  CreateGang("train", 2);
  ObserveAndPromote();
  door.Remove("default/train-0");
  door.Remove("default/train-1");
  Observe();
  Clean();
  EXPECT_EQ(AskAll("SELECT result, reason FROM group_history"),
            "cancelled|its pods were deleted before it could start");
  EXPECT_EQ(Ask("SELECT count(*) FROM pod_groups"), "0");
}

TEST_F(CleanupTest, DeadlineDeletesTheJobAndFreesTheResources) {
  Run("train", 2, kDeadline);
  Clean(kDeadline - std::chrono::seconds(1));
  EXPECT_THAT(door.deleted, IsEmpty());
  Clean(kDeadline);
  EXPECT_THAT(door.deleted, ElementsAre("Job default/train"));
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"),
            "2");  // until the pods are gone
  door.owners.clear();
  door.Remove("default/train-0");
  door.Remove("default/train-1");
  Observe(kDeadline);
  Clean(kDeadline);
  EXPECT_EQ(Result(), "timed out");
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "0");
}

TEST_F(CleanupTest, DeadlineIsAskedForAgainButNotAllTheTime) {
  Run("train", 1, kDeadline);
  Clean(kDeadline);
  Clean(kDeadline + std::chrono::seconds(1));
  EXPECT_EQ(door.deleted.size(), 1u);
  Clean(kDeadline + std::chrono::seconds(10));
  EXPECT_EQ(door.deleted.size(), 2u);
}

TEST_F(CleanupTest, WhatMayNotBeDeletedKeepsNothingElseBack) {
  Run("late", 2, kDeadline);
  Run("cancelled", 1);
  Run("done", 1);
  door.undeletable = {"Job default/late", "Job default/cancelled"};
  database.Execute(
      "UPDATE pod_groups SET cancel_reason = 'no longer wanted' "
      "WHERE group_name = 'cancelled'");
  const auto job =
      CancelJob(std::stoll(Ask("SELECT id FROM pod_groups WHERE group_name = "
                               "'cancelled'")),
                "no longer wanted");
  jobs->Insert({&job, 1});
  End("default/done-0", cluster::PodPhase::kSucceeded);
  Clean(kDeadline + std::chrono::seconds(1));
  EXPECT_EQ(Result(), "succeeded");
  // Each once, for its two pods.
  EXPECT_THAT(door.deleted, UnorderedElementsAre("Job default/late",
                                                 "Job default/cancelled"));
  EXPECT_THAT(refused, UnorderedElementsAre(
                           "deleting Job default/late: forbidden",
                           "deleting Job default/cancelled: forbidden"));
  // Both deletions are repeated, and succeed once allowed.
  EXPECT_EQ(Jobs("cleanup"), "1");
  door.undeletable.clear();
  door.deleted.clear();
  database.Execute("UPDATE jobs SET scheduled_at = now()");
  jobs->MakeDueAvailable();
  Clean(kDeadline + std::chrono::seconds(20));
  EXPECT_THAT(door.deleted, UnorderedElementsAre("Job default/late",
                                                 "Job default/cancelled"));
  EXPECT_EQ(Jobs("cleanup"), "0");
}

TEST_F(CleanupTest, EvictedGroupThatCannotBeToldKeepsNothingElseBack) {
  Run("evicted", 1);
  Run("cancelled", 1);
  database.Execute(
      "UPDATE pod_groups SET cancel_reason = 'preempted by group default/x', "
      "preempted_for = 99, comes_again = group_name = 'evicted'");
  for (const std::string id : {"1", "2"}) {
    const auto job = CancelJob(std::stoll(id), "x");
    jobs->Insert({&job, 1});
  }
  const auto away = [] { throw cluster::Unreachable("try again"); };
  door.before_conditions = away;
  Clean();
  EXPECT_THAT(door.deleted, ElementsAre("Job default/cancelled"));
  EXPECT_EQ(Jobs("cleanup"), "1");
  database.Execute("UPDATE jobs SET scheduled_at = now()");
  jobs->MakeDueAvailable();
  door.before_record = away;  // cleanup does not wait for an event
  Clean();
  EXPECT_THAT(door.deleted,
              ElementsAre("Job default/cancelled", "Pod default/evicted-0"));
  EXPECT_EQ(door.conditions.size(), 1U);
  EXPECT_EQ(Jobs("cleanup"), "0");
}

TEST_F(CleanupTest, AllGroupsOfAnOwnerThatMayNotBeDeletedAreAskedForAgain) {
  for (const char* pod : {"a", "b", "c"})
    Create({.name = pod, .owner = "array"});
  door.owners["uid-of-array"] = {"Job", "default", "array", "uid-of-array"};
  ObserveAndPromote();
  door.undeletable = {"Job default/array"};
  for (const std::string id : {"1", "2", "3"}) {
    database.Execute("UPDATE pod_groups SET cancel_reason = 'x' WHERE id = " +
                     id);
    const auto job = CancelJob(std::stoll(id), "x");
    jobs->Insert({&job, 1});
  }
  Clean(kNoon);
  EXPECT_THAT(door.deleted, ElementsAre("Job default/array"));
  EXPECT_EQ(Jobs("cleanup"), "3");
}

// The group released all its places and waits again: the deadline of the next
// placement counts.
TEST_F(CleanupTest, GroupThatHoldsNothingHasNoDeadline) {
  Run("train", 1, kDeadline);
  database.Execute(
      "DELETE FROM placements; UPDATE pods SET state = 'waiting', "
      "node_name = NULL; UPDATE pod_groups SET state = 'pending', "
      "phase = 'queued', first_in_line = true");
  Clean(kDeadline);
  EXPECT_THAT(door.deleted, IsEmpty());
  EXPECT_EQ(StateOf("train"), "pending queued");
}

TEST_F(CleanupTest, DeadlineOfBarePodsDeletesThePods) {
  Create({.name = "a", .group = "train", .size = 2});
  Create({.name = "b", .group = "train", .size = 2});
  ObserveAndPromote();
  Allocate("train", "n0", kDeadline);
  Bind("train");
  Observe();
  Clean(kDeadline);
  EXPECT_THAT(door.deleted,
              UnorderedElementsAre("Pod default/a", "Pod default/b"));
}

TEST_F(CleanupTest, DeadlineDeletesThePodsIfTheJobIsGone) {
  Run("train", 1, kDeadline);
  door.owners.clear();
  Clean(kDeadline);
  EXPECT_THAT(door.deleted,
              ElementsAre("Job default/train", "Pod default/train-0"));
}

TEST_F(CleanupTest, QueueSaysWhatADeadlineDeletes) {
  Run("train", 2, kDeadline);
  database.Execute("UPDATE queues SET deadline_action = 'pods'");
  Clean(kDeadline);
  EXPECT_THAT(door.deleted,
              ElementsAre("Pod default/train-0", "Pod default/train-1"));
}

TEST_F(CleanupTest, DeadlineCanDeleteTheTopmostOwner) {
  Run("train", 2, kDeadline);
  door.owners["uid-of-train"] = {"JobSet", "default", "set", "uid-of-set"};
  door.owners["uid-of-set"] = door.owners["uid-of-train"];
  database.Execute("UPDATE queues SET deadline_action = 'owner'");
  Clean(kDeadline);
  EXPECT_THAT(door.deleted, ElementsAre("JobSet default/set"));
}

TEST_F(CleanupTest, JobsArePutOffWhileTheClusterIsAway) {
  Run("train", 2);
  End("default/train-0", cluster::PodPhase::kFailed);
  door.reachable = false;
  EXPECT_THROW(cleanup.RunOnce(kNoon), cluster::Unreachable);
  EXPECT_EQ(Ask("SELECT state FROM jobs WHERE kind = 'cleanup'"), "scheduled");
  door.reachable = true;
  database.Execute("UPDATE jobs SET state = 'available'");
  Clean();
  EXPECT_EQ(Ask("SELECT count(*) FROM placements WHERE held_until IS NOT NULL"),
            "1");
}

TEST_F(CleanupTest, DeadlineIsNotForgottenWhileTheClusterIsAway) {
  Run("train", 1, kDeadline);
  door.reachable = false;
  EXPECT_THROW(cleanup.RunOnce(kDeadline), cluster::Unreachable);
  door.reachable = true;
  Clean(kDeadline);
  EXPECT_THAT(door.deleted, ElementsAre("Job default/train"));
}

TEST_F(CleanupTest, DoingItTwiceChangesNothing) {
  Run("train", 2);
  End("default/train-0", cluster::PodPhase::kSucceeded);
  Clean();
  database.Execute(
      "INSERT INTO jobs (kind, queue, args) SELECT 'cleanup', "
      "'cleanup', jsonb_build_object('group', id) FROM pod_groups, "
      "generate_series(1, 3)");
  Clean();
  EXPECT_EQ(Ask("SELECT count(*) FROM match_inbox"), "1");
  EXPECT_EQ(Jobs("cleanup"), "0");
}

TEST_F(CleanupTest, JobThatMakesNoSenseIsDiscarded) {
  database.Execute(
      "INSERT INTO jobs (kind, queue, args) VALUES "
      "('cleanup', 'cleanup', '{}'), "
      "('cleanup', 'cleanup', '{\"group\": 4711}')");
  Clean();
  EXPECT_EQ(AskAll("SELECT state FROM jobs_finished ORDER BY id"),
            "discarded\ncompleted");
}

#ifdef FLUXNETES_FAULTS
TEST_F(CleanupTest, PlantedBugsForgetToTellAndWriteHistoryTooEarly) {
  Run("train", 2);
  End("default/train-0", cluster::PodPhase::kSucceeded);
  sql::PlantBug("release-untold");
  Clean();
  EXPECT_EQ(News(), "");
  database.Execute(
      "INSERT INTO jobs (kind, queue, args) SELECT 'cleanup', "
      "'cleanup', jsonb_build_object('group', id) FROM pod_groups");
  sql::PlantBug("history-too-early");
  Clean();
  sql::PlantBug("");
  EXPECT_EQ(Ask("SELECT count(*) FROM group_history"), "1");
}
#endif

}  // namespace
}  // namespace fluxnetes::workers
