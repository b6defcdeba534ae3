// Pods of JobSets (jobset.x-k8s.io/v1alpha2): what their Jobs' templates say of
// groups, and their end. The JobSets' controller is not among the programs of
// hack/cluster, so a test makes the Jobs of a JobSet as that one does: named
// SET-ROLE-INDEX, owned and labelled, and under a CRD of its own that takes any
// field.
#include <algorithm>

#include "cluster/text/yaml_document.h"
#include "tests/kubernetes/support/kube_test.h"

namespace fluxnetes::testing {
namespace {

constexpr const char* kDefinitions =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
constexpr const char* kDefinition = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: jobsets.jobset.x-k8s.io}
spec:
  group: jobset.x-k8s.io
  scope: Namespaced
  names: {kind: JobSet, listKind: JobSetList, plural: jobsets, singular: jobset}
  versions:
    - name: v1alpha2
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object,
        x-kubernetes-preserve-unknown-fields: true}}
)";

struct Role {
  std::string name;
  int jobs = 1;
  int pods = 1;  // of each of these Jobs
};

class JobSetsOnKubernetes : public OnKubernetes {
 protected:
  void SetUp() override {
    OnKubernetes::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    cluster::ReadYaml(kDefinition, "definition", [&](const Json& it, int) {
      const auto answer = plane().api().Send(
          {.method = "POST", .path = kDefinitions, .body = it.dump()});
      EXPECT_TRUE(answer.Succeeded() || answer.status == 409) << answer.body;
    });
    EXPECT_TRUE(Comes([&] {
      return plane().api().Send({.path = Path("jobsets")}).Succeeded();
    }));
  }

  void SubmitJobSet(const std::string& name) {
    Submit(fmt::format(R"(
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {{name: {}}}
spec: {{replicatedJobs: []}}
)",
                       name));
    uid_ = Get("jobsets/" + name)["metadata"]["uid"];
  }

  // One of the Jobs of a role; `labels` are those of its pods' template.
  void SubmitJob(const std::string& set, const Role& role, int index,
                 const std::string& labels, const Shape& shape = {}) {
    const std::string marks = fmt::format(
        "jobset.sigs.k8s.io/jobset-name: {}, "
        "jobset.sigs.k8s.io/replicatedjob-name: {}, "
        "jobset.sigs.k8s.io/replicatedjob-replicas: \"{}\", "
        "jobset.sigs.k8s.io/job-index: \"{}\", "
        "jobset.sigs.k8s.io/restart-attempt: \"0\"",
        set, role.name, role.jobs, index);
    Submit(fmt::format(R"(
apiVersion: batch/v1
kind: Job
metadata: {{name: {0}-{1}-{2}, labels: {{{3}}}, ownerReferences: [
  {{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, name: {0}, uid: {4},
  controller: true, blockOwnerDeletion: true}}]}}
spec: {{parallelism: {5}, completions: {5}, completionMode: Indexed,
  template: {{metadata: {{labels: {{{3}, {6}}}, annotations: {7}}},
  spec: {8}}}}}
)",
                       set, role.name, index, marks, uid_, role.pods, labels,
                       Annotations(shape), PodSpec(shape, "Never")));
  }

  std::string uid_;
};

constexpr const char* kGangOfFive =
    "fluxnetes.group-name: train, fluxnetes.group-size: \"5\"";

TEST_F(JobSetsOnKubernetes, WhoseTemplatesAllNameOneGroupStartsAtOnce) {
  const Role launcher{"launcher"};
  const Role worker{"worker", 2, 2};
  SubmitJobSet("train");
  SubmitJob("train", launcher, 0, kGangOfFive);
  SubmitJob("train", worker, 0, kGangOfFive);
  EXPECT_TRUE(Comes(
      [&] { return Ask("SELECT members FROM groups_provisional") == "3"; }));
  EXPECT_EQ(Bound("train"), 0);
  SubmitJob("train", worker, 1, kGangOfFive);
  EXPECT_TRUE(Comes("train", "bound"));
  EXPECT_EQ(Bound("train"), 5);
  EndGroup("train");
  EXPECT_TRUE(Comes("train", "succeeded"));
  EXPECT_TRUE(Comes([&] { return Leftovers().empty(); })) << Leftovers();
}

TEST_F(JobSetsOnKubernetes, WithItsWholeSizeStartsAtOnceAndAgainWhenRestarted) {
  const char* const labels =
      "fluxnetes.group-by: jobset, fluxnetes.group-size: \"5\"";
  const auto bound = [this] {
    return std::ranges::count_if(
        Pods(), [](const cluster::Pod& pod) { return !pod.node_name.empty(); });
  };
  const Role launcher{"launcher"};
  const Role worker{"worker", 2, 2};
  SubmitJobSet("train");
  SubmitJob("train", worker, 0, labels);
  SubmitJob("train", launcher, 0, labels);
  EXPECT_TRUE(Comes(
      [&] { return Ask("SELECT members FROM groups_provisional") == "3"; }));
  EXPECT_EQ(bound(), 0);
  SubmitJob("train", worker, 1, labels);
  EXPECT_TRUE(Comes("train", "bound"));
  EXPECT_EQ(bound(), 5);
  // A restart: all Jobs go, and come again by the same names.
  for (const char* job : {"worker-0", "worker-1", "launcher-0"})
    Delete(fmt::format("jobs/train-{}", job));
  EXPECT_TRUE(Comes([&] { return Pods().empty(); }));
  SubmitJob("train", launcher, 0, labels);
  for (int i = 0; i < worker.jobs; ++i) SubmitJob("train", worker, i, labels);
  EXPECT_TRUE(Comes([&] { return bound() == 5; }));
  for (const cluster::Pod& pod : Pods()) EndPod(pod.name);
  EXPECT_TRUE(Comes("train", "succeeded"));
  EXPECT_TRUE(Comes([&] { return Leftovers().empty(); })) << Leftovers();
}

TEST_F(JobSetsOnKubernetes, WithASizeAloneIsAGangForEachJob) {
  const Role worker{"worker", 2, 2};
  SubmitJobSet("parts");
  for (int i = 0; i < worker.jobs; ++i)
    SubmitJob("parts", worker, i, "fluxnetes.group-size: \"2\"");
  EXPECT_TRUE(Comes([&] {
    return Ask("SELECT count(*) FROM pod_groups WHERE state = 'bound' AND "
               "group_size = 2") == "2";
  }));
  for (const cluster::Pod& pod : Pods()) EXPECT_NE(pod.node_name, "");
}

TEST_F(JobSetsOnKubernetes, IsDeletedAtTheDeadlineOfItsPodsIfTheQueueSaysSo) {
  database_->Execute("UPDATE queues SET deadline_action = 'owner'");
  const Role launcher{"launcher"};
  const Role worker{"worker", 1, 4};
  SubmitJobSet("train");
  SubmitJob("train", launcher, 0, kGangOfFive, {.limit = 2});
  SubmitJob("train", worker, 0, kGangOfFive, {.limit = 2});
  EXPECT_TRUE(Comes("train", "timed out"));
  EXPECT_TRUE(Comes([&] { return Get("jobsets").at("items").empty(); }));
}

}  // namespace
}  // namespace fluxnetes::testing
