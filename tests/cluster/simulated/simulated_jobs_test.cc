#include <gmock/gmock.h>

#include <set>

#include "cluster/cluster_cache.h"
#include "tests/cluster/simulated/simulated_fixture.h"

namespace fluxnetes::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST_F(SimulatedClusterTest, JobMakesAsManyPodsAsItsParallelism) {
  cluster_.CreateJob(Job(3, 5));
  ASSERT_EQ(Pods().size(), 3U);
  for (const PodPointer& pod : Pods()) {
    EXPECT_THAT(pod->name, StartsWith("job-"));
    EXPECT_EQ(pod->controller, (Owner{"Job", "job", Status().uid}));
    EXPECT_EQ(pod->labels.at("batch.kubernetes.io/job-name"), "job");
    EXPECT_EQ(pod->completion_index, std::nullopt);
  }
  const auto done = RunJob();
  EXPECT_EQ(done.state, JobState::kComplete);
  EXPECT_EQ(done.succeeded, 5);
  EXPECT_EQ(done.failed, 0);
  EXPECT_EQ(Pods().size(), 5U);
}

TEST_F(SimulatedClusterTest, IndexedJobGivesEachIndexOnePodAtATime) {
  auto job = Job(2, 3);
  job.indexed = true;
  job.pod_template.run.fail_first = 1;
  cluster_.CreateJob(job);
  EXPECT_THAT(Pods()[0]->name, StartsWith("job-0-"));
  const auto done = RunJob();
  EXPECT_EQ(done.state, JobState::kComplete);
  EXPECT_EQ(done.failed, 3);
  std::multiset<int> succeeded;
  for (const PodPointer& pod : Pods()) {
    if (pod->phase == PodPhase::kSucceeded) {
      succeeded.insert(*pod->completion_index);
      EXPECT_EQ(pod->labels.at("batch.kubernetes.io/job-completion-index"),
                std::to_string(*pod->completion_index));
    }
  }
  EXPECT_THAT(succeeded, ElementsAre(0, 1, 2));
}

TEST_F(SimulatedClusterTest, FailedPodIsReplacedUntilTheBackoffLimit) {
  auto job = Job(1, 1);
  job.backoff_limit = 2;
  job.pod_template.run.exit_code = 1;
  cluster_.CreateJob(job);
  const auto done = RunJob();
  EXPECT_EQ(done.state, JobState::kFailed);
  EXPECT_EQ(done.reason, "BackoffLimitExceeded");
  EXPECT_EQ(done.failed, 3);
  EXPECT_EQ(Pods().size(), 3U);
}

TEST_F(SimulatedClusterTest, FailureUpToTheLimitIsForgiven) {
  auto job = Job(2, 4);
  job.backoff_limit = 2;
  job.pod_template.run.fail_first = 2;
  cluster_.CreateJob(job);
  const auto done = RunJob();
  EXPECT_EQ(done.state, JobState::kComplete);
  EXPECT_EQ(done.failed, 2);
}

TEST_F(SimulatedClusterTest, RestartsCountForTheBackoffLimit) {
  auto job = Job(1, 1);
  job.backoff_limit = 2;
  job.pod_template.restart = RestartPolicy::kOnFailure;
  job.pod_template.run.exit_code = 1;
  cluster_.CreateJob(job);
  const auto done = RunJob();
  EXPECT_EQ(done.state, JobState::kFailed);
  EXPECT_EQ(done.reason, "BackoffLimitExceeded");
}

TEST_F(SimulatedClusterTest, ReplacementsComeAfterABackoff) {
  auto job = Job(1, 1);
  job.pod_template.run = {.length = seconds(1), .fail_first = 1};
  cluster_.CreateJob(job);
  BindAll();
  Pass(milliseconds(1'099));
  EXPECT_EQ(Pods().size(), 1U);
  Pass(milliseconds(1));
  EXPECT_EQ(Pods().size(), 2U);
}

TEST_F(SimulatedClusterTest, FailureOfOnePodEndsTheOthersOfAFailedJob) {
  auto job = Job(3, 3);
  job.backoff_limit = 0;
  job.pod_template.run.length = std::nullopt;
  cluster_.CreateJob(job);
  BindAll();
  Pass(milliseconds(1));
  cluster_.EndPod("default", Pods()[1]->name, 1);
  Pass(milliseconds(50));
  EXPECT_EQ(Status().state, JobState::kFailed);
  EXPECT_EQ(Status().active, 0);
  ASSERT_EQ(Pods().size(), 1U);
  EXPECT_EQ(Pods()[0]->phase, PodPhase::kFailed);
}

TEST_F(SimulatedClusterTest, DeadlineOfAJobFailsItAndDeletesItsPods) {
  auto job = Job(2, 2);
  job.active_deadline = seconds(60);
  job.pod_template.run.length = std::nullopt;
  cluster_.CreateJob(job);
  BindAll();
  Pass(milliseconds(59'999));
  EXPECT_EQ(Status().state, JobState::kActive);
  Pass(milliseconds(50));
  EXPECT_EQ(Status().state, JobState::kFailed);
  EXPECT_EQ(Status().reason, "DeadlineExceeded");
  EXPECT_THAT(Pods(), IsEmpty());
}

TEST_F(SimulatedClusterTest, SuspendedJobHoldsNothingUntilItIsResumed) {
  auto job = Job(2, 2);
  job.suspend = true;
  job.active_deadline = seconds(10);
  cluster_.CreateJob(job);
  Pass(seconds(20));
  EXPECT_THAT(Pods(), IsEmpty());
  EXPECT_EQ(Status().state, JobState::kSuspended);
  EXPECT_TRUE(cluster_.SuspendJob("default", "job", false));
  EXPECT_EQ(Pods().size(), 2U);
  EXPECT_EQ(RunJob().state, JobState::kComplete);
}

TEST_F(SimulatedClusterTest, SuspensionDeletesPodsWithoutCountingThem) {
  auto job = Job(2, 2);
  job.pod_template.run.length = std::nullopt;
  job.active_deadline = seconds(10);
  cluster_.CreateJob(job);
  BindAll();
  Pass(seconds(5));
  cluster_.SuspendJob("default", "job", true);
  Pass(seconds(6));
  EXPECT_THAT(Pods(), IsEmpty());
  EXPECT_EQ(Status().failed, 0);
  cluster_.SuspendJob("default", "job", false);
  Pass(seconds(9));
  EXPECT_EQ(Status().state, JobState::kActive);  // its deadline started anew
  Pass(seconds(2));
  EXPECT_EQ(Status().reason, "DeadlineExceeded");
}

TEST_F(SimulatedClusterTest, DeletedPodIsReplacedAndCountsAsFailed) {
  cluster_.CreateJob(Job(2, 2));
  cluster_.Delete({"Pod", "default", Pods()[0]->name, ""});
  EXPECT_EQ(Pods().size(), 1U);
  Pass(milliseconds(100));
  EXPECT_EQ(Pods().size(), 2U);
  EXPECT_EQ(Status().failed, 1);
}

TEST_F(SimulatedClusterTest, WorkQueueEndsWhenOneSucceededAndAllAreDone) {
  auto job = Job(3, std::nullopt);
  job.pod_template.run.length = std::nullopt;
  cluster_.CreateJob(job);
  BindAll();
  Pass(milliseconds(1));
  cluster_.EndPod("default", Pods()[0]->name, 0);
  Pass(milliseconds(1));
  EXPECT_EQ(Status().state, JobState::kActive);
  EXPECT_EQ(Status().active, 2);
  cluster_.EndPod("default", Pods()[1]->name, 0);
  cluster_.EndPod("default", Pods()[2]->name, 0);
  Pass(milliseconds(1));
  EXPECT_EQ(Status().state, JobState::kComplete);
}

TEST_F(SimulatedClusterTest, JobWithoutParallelismMakesNoPods) {
  cluster_.CreateJob(Job(0, 3));
  Pass(seconds(10));
  EXPECT_THAT(Pods(), IsEmpty());
  EXPECT_EQ(Status().state, JobState::kActive);
  EXPECT_TRUE(cluster_.ScaleJob("default", "job", 2));
  EXPECT_EQ(Pods().size(), 2U);
  EXPECT_TRUE(cluster_.ScaleJob("default", "job", 1));
  EXPECT_EQ(Pods().size(), 1U);
  EXPECT_EQ(Status().failed, 0);
}

TEST_F(SimulatedClusterTest, JobWithoutCompletionsToMakeIsComplete) {
  cluster_.CreateJob(Job(2, 0));
  EXPECT_EQ(Status().state, JobState::kComplete);
  EXPECT_THAT(Pods(), IsEmpty());
}

TEST_F(SimulatedClusterTest, DeletingAJobDeletesWhatItMade) {
  cluster_.CreateJob(Job(4, 8));
  BindAll();
  Pass(milliseconds(1'100));
  EXPECT_TRUE(cluster_.Delete({"Job", "default", "job", Status().uid}));
  Pass(milliseconds(50));
  EXPECT_THAT(Pods(), IsEmpty());
  EXPECT_EQ(cluster_.GetJob("default", "job"), std::nullopt);
  EXPECT_EQ(cluster_.NextEventTime(), std::nullopt);
}

TEST_F(SimulatedClusterTest, NameOfAJobIsTakenOnce) {
  EXPECT_TRUE(cluster_.CreateJob(Job(1, 1)));
  EXPECT_FALSE(cluster_.CreateJob(Job(1, 1)));
  auto other = Job(1, 1);
  other.namespace_name = "other";
  EXPECT_TRUE(cluster_.CreateJob(other));
  EXPECT_EQ(cluster_.Jobs().size(), 2U);
}

TEST_F(SimulatedClusterTest, DeletingAnOwnerDeletesAllBelowIt) {
  const auto top = cluster_.CreateOwner("Sweep", "default", "sweep");
  const auto set = cluster_.CreateOwner("JobSet", "default", "set",
                                        Owner{"Sweep", "sweep", top});
  auto job = Job(2, 2);
  job.controller = Owner{"JobSet", "set", set};
  cluster_.CreateJob(job);
  EXPECT_EQ(cluster_.TopOwner({"Job", "default", "job", ""})->uid, top);
  EXPECT_TRUE(cluster_.Delete({"Sweep", "default", "sweep", ""}));
  EXPECT_THAT(Pods(), IsEmpty());
  EXPECT_THAT(cluster_.Jobs(), IsEmpty());
  EXPECT_FALSE(cluster_.Delete({"JobSet", "default", "set", ""}));
}

// What a watch and a list tell of the Job, as "annotation of parallelism".
std::string ToldOf(Watch& watch) {
  std::string told;
  for (const WatchEvent& event : watch.Next(1'000, std::chrono::seconds(0))) {
    const auto* job =
        std::get_if<std::shared_ptr<const JobAnnotations>>(&event.object);
    if (job == nullptr) continue;
    const auto text = (*job)->annotations.find("fluxnetes.jobspec");
    told += (event.kind == WatchEvent::Kind::kDeleted ? "gone " : "") +
            (text == (*job)->annotations.end() ? "nothing" : text->second) +
            " of " + std::to_string((*job)->parallelism) + ";";
  }
  return told;
}

TEST_F(SimulatedClusterTest, JobspecOfAJobIsToldBeforeItsPods) {
  const auto watch = cluster_.WatchAll();
  ToldOf(*watch);
  cluster_.CreateJob(Job(1, 1));  // tells nothing
  EXPECT_EQ(ToldOf(*watch), "");
  KubernetesJob job = Job(3, 5);
  job.name = "other";
  job.annotations["fluxnetes.jobspec"] = "text";
  job.annotations["example.com/other"] = "no matter";
  const std::string uid = cluster_.CreateJob(job)->uid;
  std::vector<std::string> order;
  ClusterCache cache;
  for (const WatchEvent& event : watch->Next(1'000, seconds(0))) {
    if (std::holds_alternative<PodPointer>(event.object))
      order.emplace_back("pod");
    if (std::holds_alternative<std::shared_ptr<const JobAnnotations>>(
            event.object))
      order.emplace_back("job");
    cache.Apply({&event, 1});
  }
  ASSERT_GE(order.size(), 4U);
  EXPECT_EQ(order.front(), "job");
  ASSERT_NE(cache.AnnotationsOfJob(uid), nullptr);
  EXPECT_EQ(
      cache.AnnotationsOfJob(uid)->annotations,
      (std::map<std::string, std::string>{{"fluxnetes.jobspec", "text"}}));
  cluster_.ScaleJob("default", "other", 4);
  EXPECT_EQ(ToldOf(*watch), "text of 4;");
  EXPECT_EQ(ToldOf(*cluster_.WatchAll()), "text of 4;");
  cluster_.Delete({"Job", "default", "other", uid});
  EXPECT_EQ(ToldOf(*watch), "gone text of 4;");
  EXPECT_EQ(ToldOf(*cluster_.WatchAll()), "");
}

TEST_F(SimulatedClusterTest, JobspecThatAJobGetsOrLosesIsTold) {
  const auto watch = cluster_.WatchAll();
  const auto other = cluster_.WatchAll();
  const std::string uid = cluster_.CreateJob(Job(1, 1))->uid;
  EXPECT_FALSE(cluster_.AnnotateJob("default", "none", {}));
  EXPECT_TRUE(cluster_.AnnotateJob("default", "job", {{"a", "b"}}));
  EXPECT_EQ(ToldOf(*watch), "");
  cluster_.AnnotateJob("default", "job", {{"fluxnetes.jobspec", "text"}});
  EXPECT_EQ(ToldOf(*watch), "text of 1;");
  EXPECT_EQ(Status().job.annotations.at("a"), "b");
  ClusterCache cache;
  const auto take = [&] {
    for (const WatchEvent& event : other->Next(1'000, seconds(0)))
      cache.Apply({&event, 1});
  };
  take();
  ASSERT_NE(cache.AnnotationsOfJob(uid), nullptr);
  // One watch is told; the other learns it from a list.
  cluster_.AnnotateJob("default", "job", {{"fluxnetes.jobspec", std::nullopt}});
  EXPECT_EQ(ToldOf(*watch), "nothing of 1;");
  cluster_.DropWatches();
  take();
  EXPECT_EQ(cache.AnnotationsOfJob(uid), nullptr);
  EXPECT_FALSE(Status().job.annotations.contains("fluxnetes.jobspec"));
}

}  // namespace
}  // namespace fluxnetes::cluster
