#include "cluster/kubernetes/submission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/simulated/simulated_cluster.h"
#include "services/simulated_api/cluster_api.h"

namespace fluxnetes::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SubmissionTest : public ::testing::Test {
 protected:
  SimulatedCluster cluster_;
  services::ClusterApi api_{cluster_, {.address = "127.0.0.1:0"}};
  HttpClient client_{{.address = StartedAddress()}};

 private:
  std::string StartedAddress() {
    api_.Start();
    return api_.address();
  }
};

TEST_F(SubmissionTest, CreatesAJobAndSaysWhichOne) {
  const std::string job = R"({"apiVersion": "batch/v1", "kind": "Job",
      "metadata": {"name": "train"},
      "spec": {"parallelism": 2, "template": {"spec": {
          "schedulerName": "fluxnetes", "restartPolicy": "Never",
          "containers": [{"name": "a", "image": "x", "command": ["sleep", "1"]}]}}}})";
  const Submitted created = Submit(client_, job, "team");
  EXPECT_TRUE(created.created) << created.error;
  EXPECT_EQ(created.name, "train");
  EXPECT_EQ(created.namespace_name, "team");
  EXPECT_EQ(created.uid, cluster_.GetJob("team", "train")->uid);
  const Submitted again = Submit(client_, job, "team");
  EXPECT_FALSE(again.created);
  EXPECT_EQ(again.error, "jobs.batch \"train\" already exists");
}

TEST_F(SubmissionTest, UnknownFieldIsRefusedAndAnIgnoredOneIsAWarning) {
  const std::string pod = R"({"kind": "Pod", "metadata": {"name": "p"},
      "spec": {"containers": [{"name": "a", "image": "x",
          "livenessProbe": {"tcpSocket": {"port": 1}}}]}})";
  const Submitted created = Submit(client_, pod, "a");
  EXPECT_TRUE(created.created) << created.error;
  EXPECT_THAT(created.warnings,
              ElementsAre("the simulated cluster does not act on "
                          "spec.containers[0].livenessProbe"));
  const std::string misspelled =
      R"({"kind": "Pod", "metadata": {"name": "q"}, "spec": {"tolerance": [],
          "containers": [{"name": "a", "image": "x"}]}})";
  const Submitted refused = Submit(client_, misspelled, "a");
  EXPECT_FALSE(refused.created);
  EXPECT_THAT(refused.error, HasSubstr("unknown field \"spec.tolerance\""));
}

TEST_F(SubmissionTest, SaysWhatTheServerHasAgainstIt) {
  EXPECT_THAT(Submit(client_, R"({"kind": "Secret"})", "a").error,
              HasSubstr("kind \"Secret\" cannot be submitted"));
  EXPECT_THAT(Submit(client_, R"({"kind": "Job", "metadata": {}})", "a").error,
              HasSubstr("metadata.name is missing; give it or "
                        "metadata.generateName"));
  EXPECT_THAT(
      Submit(client_, R"({"kind": "Pod", "metadata": {"name": "A_b"}})", "a")
          .error,
      HasSubstr("metadata.name is \"A_b\"; it must be"));
  EXPECT_THAT(Submit(client_, "nonsense", "a").error,
              HasSubstr("cannot be submitted"));
}

}  // namespace
}  // namespace fluxnetes::cluster
