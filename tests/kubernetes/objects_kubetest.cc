// Each kind of object that makes pods: its pods are placed, and when it is
// deleted nothing is left.
#include "tests/kubernetes/support/kube_test.h"

namespace fluxnetes::testing {
namespace {

int BoundPods(const std::vector<cluster::Pod>& pods) {
  int bound = 0;
  for (const cluster::Pod& pod : pods) bound += pod.node_name.empty() ? 0 : 1;
  return bound;
}

TEST_F(OnKubernetes, PodIsPlacedAndDeletedLeavesNothing) {
  Submit(BarePod("plain", "", 0));
  EXPECT_TRUE(Comes([&] { return BoundPods(Pods()) == 1; }));
  Delete("pods/plain");
  EXPECT_TRUE(Comes([&] { return Leftovers().empty(); })) << Leftovers();
}

TEST_F(OnKubernetes, PodThatRunsForAWhileIsRecordedAndLeavesNothing) {
  Submit(BarePod("brief", "", 0, {.seconds = "1"}));
  EXPECT_TRUE(Comes(
      [&] { return Ask("SELECT result FROM group_history") == "succeeded"; }));
  EXPECT_TRUE(Comes([&] { return Leftovers().empty(); })) << Leftovers();
}

TEST_F(OnKubernetes, JobOfOnePodIsPlacedAndDeletedLeavesNothing) {
  Submit(fmt::format(R"(
apiVersion: batch/v1
kind: Job
metadata: {{name: one}}
spec: {{template: {}}}
)",
                     TemplateOf("one", 0, {}, "Never")));
  EXPECT_TRUE(Comes([&] { return BoundPods(Pods()) == 1; }));
  Delete("jobs/one");
  EXPECT_TRUE(Comes([&] { return Leftovers().empty(); })) << Leftovers();
}

TEST_F(OnKubernetes, IndexedJobRunsToItsEnd) {
  Submit(Gang("indexed", 3, {.seconds = "1"}));
  EXPECT_TRUE(Comes("indexed", "succeeded"));
  EXPECT_TRUE(Comes([&] {
    return Get("jobs/indexed")["status"].value("succeeded", 0) == 3;
  }));
  EXPECT_TRUE(Comes([&] { return Leftovers().empty(); })) << Leftovers();
}

TEST_F(OnKubernetes, JobOfACronJobIsPlacedAndAtItsDeadlineTheTopmostIsDeleted) {
  database_->Execute("UPDATE queues SET deadline_action = 'owner'");
  Submit(fmt::format(R"(
apiVersion: batch/v1
kind: CronJob
metadata: {{name: nightly}}
spec: {{schedule: "0 0 1 1 *", jobTemplate: {{spec: {{parallelism: 2,
  completions: 2, template: {}}}}}}}
)",
                     TemplateOf("nightly", 2, {.limit = 2}, "Never")));
  // Its controller makes up for a time that was missed, at once.
  Send("PATCH", Path("cronjobs/nightly/status"),
       {{"status", {{"lastScheduleTime", "2020-02-02T00:00:00Z"}}}},
       kMergePatch);
  EXPECT_TRUE(Comes("nightly", "timed out"));
  EXPECT_TRUE(Comes([&] { return Get("cronjobs").at("items").empty(); }));
  EXPECT_TRUE(Comes([&] { return Pods().empty(); }));
  EXPECT_TRUE(Comes([&] { return Leftovers().empty(); })) << Leftovers();
}

class Replicated : public OnKubernetes,
                   public ::testing::WithParamInterface<const char*> {
 protected:
  std::string Resource() const {
    const std::string kind = GetParam();
    return kind == "Deployment"   ? "deployments"
           : kind == "ReplicaSet" ? "replicasets"
                                  : "statefulsets";
  }
};

TEST_P(Replicated, PodsArePlacedAndReplacedAndDeletedLeaveNothing) {
  Submit(Replicas(GetParam(), "web", 3));
  EXPECT_TRUE(Comes([&] { return BoundPods(Pods()) == 3; }));
  const cluster::Pod gone = Pods()[0];
  Delete("pods/" + gone.name);
  EXPECT_TRUE(Comes([&] {
    const auto pods = Pods();
    for (const cluster::Pod& pod : pods)
      if (pod.uid == gone.uid) return false;
    return BoundPods(pods) == 3;
  }));
  Delete(Resource() + "/web");
  EXPECT_TRUE(Comes([&] { return Pods().empty(); }));
  EXPECT_TRUE(Comes([&] { return Leftovers().empty(); })) << Leftovers();
}

INSTANTIATE_TEST_SUITE_P(Kinds, Replicated,
                         ::testing::Values("Deployment", "ReplicaSet",
                                           "StatefulSet"),
                         [](const auto& instance) {
                           return std::string(instance.param);
                         });

}  // namespace
}  // namespace fluxnetes::testing
