// `fluxnetes delete` on a simulated cluster, and the way from a finished Job to
// the next of its name.
#include <gmock/gmock.h>

#include "services/submit/delete_command.h"
#include "tests/services/support/cluster_commands.h"

namespace fluxnetes::services {
namespace {

using ::testing::HasSubstr;

constexpr auto kTrain = R"(
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: a}
spec:
  parallelism: 1
  completions: 1
  template:
    metadata:
      annotations: {fluxnetes.io/run-seconds: "1"}
    spec:
      schedulerName: fluxnetes
      restartPolicy: Never
      containers:
        - {name: main, image: x, resources: {requests: {cpu: "1"}}}
)";

class Delete : public ClusterCommands {
 protected:
  Delete() {
    cluster::Node node;
    node.name = "n0";
    node.allocatable.cpu_milli = 4'000;
    node.allocatable.pods = 110;
    cluster_.AddNode(node);
  }

  ExitCode Submit() {
    run_.SetInput(kTrain);
    return run_("submit -f -");
  }
  // Binds the only pod and lets it end.
  void Finish() {
    const auto pods = cluster_.TakeSnapshot().pods;
    ASSERT_EQ(pods.size(), 1U);
    const cluster::Binding binding{pods[0]->namespace_name, pods[0]->name,
                                   pods[0]->uid, "", "n0"};
    cluster_.Bind(std::span(&binding, 1), std::chrono::seconds(1));
    cluster_.AdvanceTo(cluster_.Now() + std::chrono::seconds(5));
    ASSERT_EQ(cluster_.GetJob("a", "train")->state,
              cluster::KubernetesJobStatus::State::kComplete);
  }
};

TEST_F(Delete, FinishedJobIsSubmittedAgainOnceItIsDeleted) {
  ASSERT_EQ(Submit(), ExitCode::kOk) << run_.err();
  Finish();
  EXPECT_EQ(Submit(), ExitCode::kFailed);
  EXPECT_THAT(
      run_.err(),
      HasSubstr("already exists\n`fluxnetes delete job a/train` deletes "
                "it, finished or not; then submit it again.\n"));
  EXPECT_EQ(run_("delete job a/train"), ExitCode::kOk) << run_.err();
  EXPECT_EQ(run_.out(), "job.batch/train deleted\n");
  EXPECT_FALSE(cluster_.GetJob("a", "train"));
  EXPECT_EQ(Submit(), ExitCode::kOk) << run_.err();
  cluster_.AdvanceTo(cluster_.Now() + std::chrono::seconds(1));
  Finish();
}

TEST_F(Delete, JobThatRunsTakesItsPodsWithIt) {
  Submit();
  EXPECT_EQ(run_("delete jobs train -n a"), ExitCode::kOk) << run_.err();
  cluster_.AdvanceTo(cluster_.Now() + std::chrono::seconds(1));
  EXPECT_TRUE(cluster_.TakeSnapshot().pods.empty());
}

TEST_F(Delete, WhatIsMissingIsToldAndTheOthersAreDeleted) {
  Submit();
  EXPECT_EQ(run_("delete job none a/train other"), ExitCode::kNotFound);
  EXPECT_EQ(run_.out(), "job.batch/train deleted\n");
  EXPECT_THAT(run_.err(), HasSubstr("error: job.batch/none: "));
  EXPECT_THAT(run_.err(), HasSubstr("error: job.batch/other: "));
}

TEST_F(Delete, PodOfAnyNamespaceIsDeleted) {
  Submit();
  const std::string pod = cluster_.TakeSnapshot().pods[0]->name;
  EXPECT_EQ(run_("delete pod a/" + pod), ExitCode::kOk) << run_.err();
  EXPECT_THAT(run_.out(), HasSubstr("pod/" + pod));
  cluster_.AdvanceTo(cluster_.Now() + std::chrono::seconds(1));
  EXPECT_FALSE(cluster_.GetPod("a", pod));
}

TEST_F(Delete, WordThatIsNoNameIsRefusedBeforeAnythingIsDeleted) {
  Submit();
  for (const char* const word : {"a/..", "../a", "a/b/c", "/train", "a/",
                                 "Train", "train?propagationPolicy=Orphan"}) {
    EXPECT_EQ(run_("delete job a/train", {word}), ExitCode::kUsage) << word;
    EXPECT_THAT(run_.err(), HasSubstr("Right would be NAME or NAMESPACE/NAME"));
  }
  EXPECT_TRUE(cluster_.GetJob("a", "train"));
}

}  // namespace
}  // namespace fluxnetes::services
