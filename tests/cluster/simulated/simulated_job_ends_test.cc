// When Jobs of the simulated cluster end by their rules, and what becomes of
// them.
#include <gmock/gmock.h>

#include "tests/cluster/simulated/simulated_fixture.h"

namespace fluxnetes::cluster {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

using Action = PodFailureRule::Action;

class SimulatedJobEnds : public SimulatedClusterTest {
 protected:
  static KubernetesJob Indexed(int parallelism, int completions) {
    KubernetesJob job = Job(parallelism, completions);
    job.indexed = true;
    job.pod_template.run.container = "main";
    return job;
  }
  static PodFailureRule OnCode(Action action, int code) {
    PodFailureRule rule;
    rule.action = action;
    rule.exit_codes = {"", true, {code}};
    return rule;
  }
  std::string NameOf(int index) {
    for (const PodPointer& pod : Pods()) {
      if (pod->completion_index == index && !HasEnded(*pod)) return pod->name;
    }
    return "none";
  }
  void EndIndex(int index, int exit_code) {
    BindAll();
    Pass(milliseconds(1));
    EXPECT_TRUE(cluster_.EndPod("default", NameOf(index), exit_code));
    Pass(milliseconds(1));
  }
};

TEST_F(SimulatedJobEnds, FailJobFailsTheJobAtOnce) {
  auto job = Indexed(2, 2);
  job.pod_template.run.length = std::nullopt;
  job.failure_rules = {OnCode(Action::kFailJob, 42)};
  cluster_.CreateJob(job);
  EndIndex(0, 1);
  EXPECT_EQ(Status().state, JobState::kActive);
  Pass(seconds(1));
  EndIndex(1, 42);
  Pass(milliseconds(50));
  EXPECT_EQ(Status().state, JobState::kFailed);
  EXPECT_EQ(Status().reason, "PodFailurePolicy");
  EXPECT_EQ(Status().failed, 2);
  EXPECT_EQ(Status().active, 0);
}

TEST_F(SimulatedJobEnds, IgnoredFailureDoesNotCount) {
  auto job = Indexed(1, 1);
  job.backoff_limit = 0;
  job.pod_template.run.length = std::nullopt;
  job.failure_rules = {OnCode(Action::kIgnore, 3)};
  cluster_.CreateJob(job);
  for (int i = 0; i < 3; ++i) {
    EndIndex(0, 3);
    Pass(seconds(10));
  }
  EXPECT_EQ(Status().state, JobState::kActive);
  EXPECT_EQ(Status().failed, 0);
  EXPECT_EQ(Status().active, 1);
}

TEST_F(SimulatedJobEnds, DisruptedPodIsIgnoredIfARuleSaysSo) {
  auto job = Indexed(1, 1);
  job.backoff_limit = 0;
  job.pod_template.run.length = std::nullopt;
  PodFailureRule rule;
  rule.action = Action::kIgnore;
  rule.conditions = {{"DisruptionTarget", "True"}};
  job.failure_rules = {rule};
  cluster_.CreateJob(job);
  BindAll();
  Pass(milliseconds(1));
  cluster_.AddTaint("node0", {"down", "", "NoExecute"});
  Pass(seconds(1));
  EXPECT_EQ(Status().state, JobState::kActive);
  EXPECT_EQ(Status().failed, 0);
  EXPECT_EQ(Status().active, 1);
}

TEST_F(SimulatedJobEnds, IndexFailsAloneBeyondItsLimit) {
  auto job = Indexed(3, 3);
  job.backoff_limit = 1'000;
  job.backoff_limit_per_index = 1;
  job.pod_template.run.length = std::nullopt;
  cluster_.CreateJob(job);
  for (int i = 0; i < 2; ++i) {
    EndIndex(1, 1);
    Pass(seconds(1));
  }
  EXPECT_EQ(Status().state, JobState::kActive);
  EXPECT_EQ(Status().failed_indexes, "1");
  EXPECT_EQ(Status().active, 2);
  EndIndex(0, 0);
  EndIndex(2, 0);
  EXPECT_EQ(Status().state, JobState::kFailed);
  EXPECT_EQ(Status().reason, "FailedIndexes");
  EXPECT_EQ(Status().completed_indexes, "0,2");
}

TEST_F(SimulatedJobEnds, FailureOfOneIndexDoesNotDelayTheOthers) {
  auto job = Indexed(1, 2);
  job.backoff_limit_per_index = 5;
  job.pod_template.run.length = std::nullopt;
  cluster_.CreateJob(job);
  EndIndex(0, 1);
  EXPECT_NE(NameOf(1), "none");
  EXPECT_EQ(NameOf(0), "none");
}

TEST_F(SimulatedJobEnds, FailIndexAndTooManyFailedIndexesEndTheJob) {
  auto job = Indexed(3, 3);
  job.backoff_limit_per_index = 5;
  job.max_failed_indexes = 1;
  job.pod_template.run.length = std::nullopt;
  job.failure_rules = {OnCode(Action::kFailIndex, 9)};
  cluster_.CreateJob(job);
  EndIndex(0, 9);
  EXPECT_EQ(Status().failed_indexes, "0");
  EXPECT_EQ(Status().state, JobState::kActive);
  EndIndex(2, 9);
  Pass(milliseconds(50));
  EXPECT_EQ(Status().state, JobState::kFailed);
  EXPECT_EQ(Status().reason, "MaxFailedIndexesExceeded");
  EXPECT_EQ(Status().failed_indexes, "0,2");
}

TEST_F(SimulatedJobEnds, SuccessOfTheLeaderIsEnough) {
  auto job = Indexed(3, 3);
  job.pod_template.run.length = std::nullopt;
  SuccessRule leader;
  leader.indexes = {{0, 0}};
  job.success_rules = {leader};
  cluster_.CreateJob(job);
  EndIndex(2, 0);
  EXPECT_EQ(Status().state, JobState::kActive);
  EndIndex(0, 0);
  Pass(milliseconds(50));
  EXPECT_EQ(Status().state, JobState::kComplete);
  EXPECT_EQ(Status().reason, "SuccessPolicy");
  EXPECT_EQ(Status().succeeded, 2);
  EXPECT_EQ(Status().active, 0);
}

TEST_F(SimulatedJobEnds, FinishedJobIsDeletedAfterItsTime) {
  auto job = Job(1, 1);
  job.ttl_after_finished = seconds(30);
  cluster_.CreateJob(job);
  EXPECT_EQ(RunJob().state, JobState::kComplete);
  Pass(seconds(29));
  EXPECT_TRUE(cluster_.GetJob("default", "job").has_value());
  EXPECT_THAT(Pods(), SizeIs(1));
  Pass(seconds(2));
  EXPECT_FALSE(cluster_.GetJob("default", "job").has_value());
  EXPECT_THAT(Pods(), IsEmpty());
  EXPECT_TRUE(cluster_.CreateJob(job).has_value());
}

TEST_F(SimulatedJobEnds, JobWithoutSuchATimeStays) {
  cluster_.CreateJob(Job(1, 1));
  EXPECT_EQ(RunJob().state, JobState::kComplete);
  Pass(std::chrono::hours(24));
  EXPECT_TRUE(cluster_.GetJob("default", "job").has_value());
}

TEST_F(SimulatedJobEnds, DeletedPodIsReplacedWhenItIsGoneIfTheJobSaysSo) {
  auto job = Job(1, 1);
  job.replaces_when_gone = true;
  job.pod_template.run.length = std::nullopt;
  job.pod_template.pod.grace = seconds(30);
  cluster_.CreateJob(job);
  BindAll();
  Pass(milliseconds(1));
  cluster_.Delete({"Pod", "default", Pods()[0]->name, ""});
  Pass(milliseconds(1));
  EXPECT_THAT(Pods(), SizeIs(1));
  EXPECT_EQ(Status().active, 0);
  Pass(seconds(1));
  EXPECT_THAT(Pods(), SizeIs(1));
  EXPECT_EQ(Status().active, 1);
}

TEST_F(SimulatedJobEnds, DeadlineOfNoTimeFailsTheJobAtOnce) {
  auto job = Job(1, 1);
  job.active_deadline = seconds(0);
  cluster_.CreateJob(job);
  Pass(milliseconds(1));
  EXPECT_EQ(Status().state, JobState::kFailed);
  EXPECT_EQ(Status().reason, "DeadlineExceeded");
}

}  // namespace
}  // namespace fluxnetes::cluster
