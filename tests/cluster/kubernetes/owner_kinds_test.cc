#include "cluster/kubernetes/owner_kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace fluxnetes::cluster {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

TEST(OwnerKinds, IsAKindWithItsResource) {
  const char* const text = "MPIJob=mpijobs.v2beta1.kubeflow.org";
  const OwnerKind kind = ParseOwnerKind(text);
  EXPECT_EQ(kind,
            (OwnerKind{"MPIJob", "/apis/kubeflow.org/v2beta1", "mpijobs"}));
  EXPECT_EQ(Write(kind), text);
  EXPECT_EQ(
      ParseOwnerKind("Job.batch.volcano.sh=jobs.v1.batch.volcano.sh").kind,
      "Job.batch.volcano.sh");
}

TEST(OwnerKinds, RefusesWhatIsNone) {
  for (const char* wrong :
       {"", "MPIJob", "=mpijobs.v1.org", "MPIJob=", "MPIJob=mpijobs",
        "MPIJob=mpijobs.v1", "MPIJob=mpijobs.kubeflow.org", "a/b=c.v1.d",
        "MPIJob=Mpi.v1.org", "MPIJob=mpijobs.v1.a/../b", "MPIJob=a.v1..b",
        "MPIJob=a.v1.b.", "MPIJob=a.v1.b=c"}) {
    try {
      ParseOwnerKind(wrong);
      ADD_FAILURE() << wrong;
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), HasSubstr("MPIJob=mpijobs.v2beta1")) << wrong;
    }
  }
}

TEST(OwnerKinds, ConfiguredOnesComeBeforeTheKnownOnes) {
  const OwnerKind other{"MPIJob", "/apis/kubeflow.org/v3", "mpijobs"};
  EXPECT_EQ(FindOwnerKind("MPIJob", {})->prefix, "/apis/kubeflow.org/v2beta1");
  EXPECT_EQ(FindOwnerKind("MPIJob", {&other, 1}), other);
  EXPECT_EQ(FindOwnerKind("RayCluster", {&other, 1})->plural, "rayclusters");
  EXPECT_FALSE(FindOwnerKind("Workflow", {})->replaces);
  EXPECT_EQ(FindOwnerKind("Sorcery", {}), std::nullopt);
}

TEST(OwnerKinds, KnowsHowOperatorsSayThatTheirWorkIsOver) {
  const auto finished = [](const char* status) {
    return HasFinished(Json{{"status", Json::parse(status)}});
  };
  // MPIJob, PyTorchJob, TrainJob, JobSet.
  EXPECT_TRUE(finished(
      R"({"conditions": [{"type": "Created", "status": "True"},
                         {"type": "Succeeded", "status": "True"}]})"));
  EXPECT_FALSE(finished(
      R"({"conditions": [{"type": "Succeeded", "status": "False"},
                         {"type": "Running", "status": "True"}]})"));
  EXPECT_TRUE(finished(R"({"phase": "Failed"})"));  // Workflow
  EXPECT_FALSE(finished(R"({"phase": "Running"})"));
  EXPECT_TRUE(finished(R"({"jobDeploymentStatus": "Complete"})"));  // RayJob
  EXPECT_TRUE(finished(R"({"jobStatus": "Successful"})"));          // DaskJob
  EXPECT_TRUE(finished(R"({"applicationState": {"state": "COMPLETED"}})"));
  EXPECT_FALSE(finished(R"({"applicationState": {"state": "RUNNING"}})"));
  EXPECT_FALSE(finished(R"({"state": "ready"})"));  // RayCluster
  EXPECT_FALSE(HasFinished({}));
  EXPECT_FALSE(finished(R"({"conditions": 3, "applicationState": []})"));
}

}  // namespace
}  // namespace fluxnetes::cluster
