#include "tests/workers/support/lifecycle_fixture.h"
#include "workers/cleanup/cleanup.h"
#include "workers/cleanup/start_by_deadlines.h"
#include "workers/intake/stalled_groups.h"
#include "workers/requests/cancel.h"

namespace fluxnetes::workers {
namespace {

using cluster::ControllerState;
using std::chrono::seconds;
using ::testing::HasSubstr;

class StalledGroupsTest : public LifecycleTest {
 protected:
  StalledGroupsTest()
      : cleanup(database.pool(), *jobs, *client, door, Cleanup::Options{}),
        stalled(database.pool(), *jobs, *promoter, door,
                StalledGroups::Options{}) {}

  void Look(cluster::Time now) {
    while (stalled.RunOnce(now)) {
    }
  }
  void Clean() {
    while (cleanup.RunOnce(kNoon)) {
    }
  }
  ControllerState& JobOf(const std::string& owner, int parallelism,
                         int completions, int succeeded = 0) {
    ControllerState& job = door.controllers["uid-of-" + owner];
    job.life = ControllerState::Life::kLives;
    job.job = true;
    job.at_once = parallelism;
    job.completions = completions;
    job.succeeded = succeeded;
    return job;
  }
  std::string ComeOf(const std::string& owner, const std::string& name,
                     int size) {
    return Create(
        {.name = name, .group = "train", .size = size, .owner = owner});
  }
  // The group runs, all of its pods succeed, and it is over.
  void RunToItsEnd(int size) {
    Run("train", size);
    for (int i = 0; i < size; ++i) {
      const std::string key = "default/train-" + std::to_string(i);
      door.End(key, cluster::PodPhase::kSucceeded);
      door.Remove(key);
    }
    Observe();
    Clean();
  }
  std::string Sizes() {
    return AskAll(
        "SELECT concat_ws(' of ', group_size, asked_size), state FROM "
        "pod_groups "
        "WHERE group_name = 'train' ORDER BY id");
  }
  std::string WhyShort() {
    return Ask(
        "SELECT coalesce(max(short_reason), '') FROM groups_provisional "
        "WHERE group_name = 'train'");
  }

  Cleanup cleanup;
  StalledGroups stalled;
  const cluster::Time later = kNoon + seconds(6);
};

TEST_F(StalledGroupsTest, RestOfTheCompletionsStartsAsASmallerGroup) {
  RunToItsEnd(4);
  JobOf("train", 4, 5, 4);
  ComeOf("train", "train-4", 4);
  ObserveAndPromote();
  EXPECT_EQ(Filling("train"), "1/4");
  Look(kNoon + seconds(5));
  EXPECT_EQ(Filling("train"), "1/4") << "it may still be filling";
  Look(later);
  EXPECT_EQ(Filling("train"), "");
  EXPECT_EQ(Sizes(), "1 of 4|pending");
  EXPECT_EQ(Jobs("match"), "1");
  EXPECT_THAT(Ask("SELECT args ->> 'message' FROM jobs WHERE kind = 'notice'"),
              HasSubstr("group default/train starts with 1 of 4 pods: only 1 "
                        "of 4 can come: Job train has 1 of 5 completions "
                        "left"));
}

TEST_F(StalledGroupsTest, CompletionsOfPodsInOtherGroupsAreNotWaitedFor) {
  Create({.name = "first", .owner = "train"});
  ObserveAndPromote();
  Allocate("fluxnetes-group-default-first");
  Bind("fluxnetes-group-default-first");
  ComeOf("train", "second", 3);
  ComeOf("train", "third", 3);
  ObserveAndPromote();
  JobOf("train", 3, 12);
  Look(later);
  EXPECT_EQ(Filling("train"), "2/3") << "one more comes when the first is over";
  JobOf("train", 3, 3);
  Look(later + std::chrono::minutes(10));
  EXPECT_EQ(Sizes(), "2 of 3|pending");
  EXPECT_THAT(Ask("SELECT args ->> 'message' FROM jobs WHERE kind = 'notice'"),
              HasSubstr("Job train has 3 of 3 completions left, and 1 pod "
                        "elsewhere"));
}

TEST_F(StalledGroupsTest, IndexThatSucceededBeforeASuspendIsNotWaitedFor) {
  RunToItsEnd(3);
  JobOf("train", 3, 3, 1);
  ComeOf("train", "train-a", 3);
  ObserveAndPromote();
  Look(later);
  EXPECT_EQ(Filling("train"), "1/3") << "one more can come";
  EXPECT_THAT(WhyShort(), HasSubstr("only 2 of 3 can come"));
  ComeOf("train", "train-b", 3);
  ObserveAndPromote(later);
  EXPECT_EQ(WhyShort(), "") << "its pods have changed";
  Look(later + seconds(6));
  EXPECT_EQ(Sizes(), "2 of 3|pending");
}

TEST_F(StalledGroupsTest, LoweredParallelismMakesTheWaitingGroupSmaller) {
  CreateGang("train", 4);
  ObserveAndPromote();
  JobOf("train", 2, 8);
  door.Remove("default/train-2");
  door.Remove("default/train-3");
  ObserveAndPromote();
  EXPECT_EQ(Filling("train"), "2/4");
  Look(later);
  EXPECT_EQ(Sizes(), "2 of 4|pending");
}

TEST_F(StalledGroupsTest, RaisedParallelismGathersTheGroupAgain) {
  CreateGang("train", 4);
  ObserveAndPromote();
  JobOf("train", 2, 8);
  door.Remove("default/train-2");
  door.Remove("default/train-3");
  ObserveAndPromote();
  Look(later);
  JobOf("train", 4, 8);
  ComeOf("train", "train-4", 4);
  ObserveAndPromote(later);
  EXPECT_EQ(Filling("train"), "3/4");
  EXPECT_EQ(Sizes(), "");
  ComeOf("train", "train-5", 4);
  ObserveAndPromote(later);
  EXPECT_EQ(Sizes(), "4|pending");
}

TEST_F(StalledGroupsTest, SmallerGroupThatHasStartedIsNotGatheredAgain) {
  RunToItsEnd(4);
  JobOf("train", 4, 5, 4);
  ComeOf("train", "train-4", 4);
  ObserveAndPromote();
  Look(later);
  Allocate("train");
  Bind("train");
  Observe();
  EXPECT_EQ(Sizes(), "1 of 4|bound");
  ComeOf("train", "train-5", 4);
  ObserveAndPromote();
  EXPECT_EQ(Sizes(), "1 of 4|bound");
  EXPECT_EQ(StateOf("fluxnetes-group-default-train-5"), "pending queued");
}

TEST_F(StalledGroupsTest, FailedMemberOfASmallerGroupIsReplaced) {
  RunToItsEnd(4);
  JobOf("train", 4, 6, 4);
  ComeOf("train", "train-4", 4);
  ComeOf("train", "train-5", 4);
  ObserveAndPromote();
  Look(later);
  Allocate("train");
  Bind("train");
  Observe();
  door.End("default/train-5", cluster::PodPhase::kFailed);
  ComeOf("train", "train-6", 4);
  ObserveAndPromote();
  EXPECT_EQ(Filling("train"), "");
  EXPECT_EQ(Ask("SELECT group_name FROM pods JOIN pod_groups ON id = group_id "
                "WHERE pod_name = 'train-6'"),
            "train");
}

TEST_F(StalledGroupsTest, ParallelismBelowTheSizeFromTheStartIsSaid) {
  JobOf("train", 2, 8);
  ComeOf("train", "train-0", 4);
  ComeOf("train", "train-1", 4);
  ObserveAndPromote();
  Look(later);
  EXPECT_EQ(Filling("train"), "2/4");
  EXPECT_EQ(WhyShort(),
            "never whole unless others make the missing pods: Job train makes "
            "2 pods at a time (its parallelism)");
  EXPECT_EQ(Ask("SELECT reason FROM inactive_groups WHERE group_name = "
                "'train'"),
            "2 of 4 pods have arrived; " + WhyShort());
}

TEST_F(StalledGroupsTest, LauncherWaitsForWorkersThatAreNotThereYet) {
  JobOf("launcher", 1, 1);
  ComeOf("launcher", "launcher-0", 3);
  ObserveAndPromote();
  Look(later);
  EXPECT_EQ(Filling("train"), "1/3");
  JobOf("workers", 2, 2);
  ComeOf("workers", "worker-0", 3);
  ObserveAndPromote(later);
  Look(later + seconds(6));
  EXPECT_EQ(Filling("train"), "2/3");
  EXPECT_EQ(WhyShort(), "");
}

TEST_F(StalledGroupsTest, MakersWithoutAPodLeftAreStillAsked) {
  ComeOf("launcher", "launcher-0", 3);
  ComeOf("workers", "worker-0", 3);
  ComeOf("workers", "worker-1", 3);
  ObserveAndPromote();
  for (const char* key : {"default/worker-0", "default/worker-1"})
    door.Remove(key);
  ObserveAndPromote();
  JobOf("launcher", 1, 1);
  ControllerState& workers = JobOf("workers", 2, 2);
  Look(later);
  EXPECT_EQ(Filling("train"), "1/3") << "its workers come again";
  EXPECT_EQ(WhyShort(), "");
  workers.life = ControllerState::Life::kFailed;
  workers.reason = "BackoffLimitExceeded";
  Look(later + seconds(6));
  EXPECT_EQ(Sizes(), "1 of 3|pending");
}

TEST_F(StalledGroupsTest, NobodyKnowsWhetherAGoneOwnerComesAgain) {
  CreateGang("train", 2);
  ObserveAndPromote();
  door.Remove("default/train-1");
  ObserveAndPromote();
  door.controllers["uid-of-train"].life = ControllerState::Life::kGone;
  Look(later);
  EXPECT_EQ(Filling("train"), "1/2");
  EXPECT_THAT(WhyShort(), HasSubstr("never whole unless others make the "
                                    "missing pods: Job train is gone"));
}

TEST_F(StalledGroupsTest, PodsWithoutAControllerAreSaidToHaveNone) {
  ComeOf("", "train-0", 2);
  ObserveAndPromote();
  Look(later);
  EXPECT_THAT(WhyShort(), HasSubstr("1 of its pods has no controller"));
  EXPECT_EQ(door.asked_for_controllers, 0);
}

TEST_F(StalledGroupsTest, ChangeOfThePodsWhileItsMakersAreAskedCounts) {
  RunToItsEnd(4);
  JobOf("train", 4, 6, 4);
  ComeOf("train", "train-4", 4);
  ComeOf("train", "train-5", 4);
  ObserveAndPromote();
  door.after_controllers = [this] {
    door.Remove("default/train-5");
    Observe(later);
  };
  Look(later);
  EXPECT_EQ(Filling("train"), "1/4");
  EXPECT_EQ(Sizes(), "");
}

TEST_F(StalledGroupsTest, IsAskedAboutEverLessOften) {
  JobOf("train", 2, 8);
  ComeOf("train", "train-0", 4);
  ObserveAndPromote();
  int looks = 0;
  for (cluster::Time now = kNoon; now < kNoon + std::chrono::hours(1);
       now += seconds(1)) {
    const int before = door.asked_for_controllers;
    Look(now);
    looks += door.asked_for_controllers - before;
  }
  EXPECT_GE(looks, 10);
  EXPECT_LE(looks, 25);
}

TEST_F(StalledGroupsTest, GroupsOfOneJobAskItOnce) {
  JobOf("train", 2, 8);
  for (const char* group : {"a", "b", "c"})
    Create({.name = group, .group = group, .size = 4, .owner = "train"});
  ObserveAndPromote();
  Look(later);
  EXPECT_EQ(door.asked_for_controllers, 1);
  EXPECT_EQ(Ask("SELECT count(*) FROM groups_provisional WHERE short_reason "
                "IS NOT NULL"),
            "3");
}

TEST_F(StalledGroupsTest, UnreachableClusterIsAskedAgain) {
  RunToItsEnd(4);
  JobOf("train", 4, 5, 4);
  ComeOf("train", "train-4", 4);
  ObserveAndPromote();
  door.reachable = false;
  EXPECT_THROW(stalled.RunOnce(later), cluster::Unreachable);
  door.reachable = true;
  Look(later + seconds(6));
  EXPECT_EQ(Sizes(), "1 of 4|pending");
}

TEST_F(StalledGroupsTest, CancelClearsAGroupThatCanNeverBeWhole) {
  JobOf("train", 2, 8);
  ComeOf("train", "train-0", 4);
  ObserveAndPromote();
  Look(later);
  EXPECT_EQ(CancelGroup(database.pool(), "default", "train", "by hand", later),
            1);
  EXPECT_EQ(Filling("train"), "");
  EXPECT_EQ(Ask("SELECT result FROM group_history"), "cancelled");
}

TEST_F(StalledGroupsTest, StartByClearsAGroupThatCanNeverBeWhole) {
  JobOf("train", 2, 8);
  cluster::Pod pod =
      PodOf({.name = "train-0", .group = "train", .size = 4, .owner = "train"});
  pod.labels["fluxnetes.start-by"] =
      std::to_string(std::chrono::duration_cast<seconds>(
                         (kNoon + seconds(60)).time_since_epoch())
                         .count());
  door.Put(pod);
  ObserveAndPromote();
  Look(later);
  StartByDeadlines late(database.pool(), *jobs, {});
  while (late.RunOnce(kNoon + seconds(61))) {
  }
  EXPECT_EQ(Filling("train"), "");
  EXPECT_EQ(Ask("SELECT result FROM group_history"), "cancelled");
}

TEST_F(StalledGroupsTest, EndOfTheOwnerClearsAGroupThatCanNeverBeWhole) {
  JobOf("train", 2, 8);
  ComeOf("train", "train-0", 4);
  ObserveAndPromote();
  Look(later);
  door.Remove("default/train-0");
  ObserveAndPromote(later);
  EXPECT_EQ(Ask("SELECT count(*) FROM groups_provisional"), "0");
  EXPECT_EQ(Ask("SELECT result FROM group_history"), "cancelled");
}

}  // namespace
}  // namespace fluxnetes::workers
