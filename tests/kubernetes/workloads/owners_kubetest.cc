// Pods that an operator makes from objects of its own: they name the operator's
// scheduler, their deadline ends the object that they came from, and places are
// held for what the operator makes again. The test does what the MPI operator
// does: a launcher's Job and workers that the MPIJob owns, under a CRD that
// takes any field.
#include <algorithm>

#include "cluster/json/objects.h"
#include "cluster/text/yaml_document.h"
#include "tests/kubernetes/support/kube_test.h"

namespace fluxnetes::testing {
namespace {

constexpr const char* kMpiJobDefinition = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: mpijobs.kubeflow.org}
spec:
  group: kubeflow.org
  scope: Namespaced
  names: {kind: MPIJob, listKind: MPIJobList, plural: mpijobs,
    singular: mpijob}
  versions:
    - name: v2beta1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object,
        x-kubernetes-preserve-unknown-fields: true}}
)";

class OwnersOnKubernetes : public OnKubernetes {
 protected:
  void SetUp() override {
    OnKubernetes::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    cluster::ReadYaml(
        kMpiJobDefinition, "definition", [&](const Json& it, int) {
          const auto answer = plane().api().Send(
              {.method = "POST",
               .path =
                   "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
               .body = it.dump()});
          EXPECT_TRUE(answer.Succeeded() || answer.status == 409)
              << answer.body;
        });
    EXPECT_TRUE(Comes(
        [&] { return plane().api().Send({.path = List()}).Succeeded(); }));
    StopScheduler();
    StartScheduler({{"FLUXNETES_SCHEDULER_NAMES", "fluxnetes,mpi-scheduler"}});
    uid_ = Send("POST", List(),
                {{"apiVersion", "kubeflow.org/v2beta1"},
                 {"kind", "MPIJob"},
                 {"metadata", {{"name", "mpi"}}}})["metadata"]["uid"];
  }

  void TearDown() override {
    if (!IsSkipped()) plane().api().Send({.method = "DELETE", .path = Mpi()});
    OnKubernetes::TearDown();
  }

  std::string List() const {
    return "/apis/kubeflow.org/v2beta1/namespaces/" + home_ + "/mpijobs";
  }
  std::string Mpi() const { return List() + "/mpi"; }

  std::string Owner() const {
    return fmt::format(
        "ownerReferences: [{{apiVersion: kubeflow.org/v2beta1, kind: MPIJob, "
        "name: mpi, uid: {}, controller: true}}]",
        uid_);
  }

  std::string Template(const std::string& name, const std::string& more,
                       int limit) const {
    return fmt::format(
        R"(
metadata: {{{}{}labels: {{fluxnetes.group-name: mpi,
  fluxnetes.group-size: "3"}}}}
spec: {{schedulerName: mpi-scheduler, restartPolicy: Never{}, containers: [
  {{name: work, image: busybox,
  resources: {{requests: {{cpu: "2", memory: 64Mi}}}}}}]}}
)",
        name.empty() ? "" : "name: " + name + ", ", more,
        limit == 0 ? "" : fmt::format(", activeDeadlineSeconds: {}", limit));
  }

  void SubmitWorker(const std::string& name, int limit = 0) {
    Submit("apiVersion: v1\nkind: Pod" + Template(name, Owner() + ", ", limit));
  }

  void SubmitAll(int limit = 0) {
    std::string pod = Template("", "", limit);
    for (std::size_t at = 0; (at = pod.find('\n', at)) != pod.npos; at += 5)
      pod.replace(at, 1, "\n    ");
    Submit("apiVersion: batch/v1\nkind: Job\nmetadata: {name: mpi-launcher, " +
           Owner() + "}\nspec:\n  template:" + pod);
    SubmitWorker("mpi-worker-0", limit);
    EXPECT_TRUE(Comes(
        [&] { return Ask("SELECT members FROM groups_provisional") == "2"; }));
    SubmitWorker("mpi-worker-1", limit);
  }

  std::string NodeOf(const std::string& pod) {
    return Get("pods/" + pod)["spec"].value("nodeName", "");
  }

  std::string uid_;
};

TEST_F(OwnersOnKubernetes, DeadlineEndsTheOperatorsObject) {
  database_->Execute("UPDATE queues SET deadline_action = 'owner'");
  SubmitAll(/*limit=*/2);
  EXPECT_TRUE(Comes("mpi", "timed out")) << Log();
  EXPECT_TRUE(Comes([&] {
    return plane().api().Send({.path = Mpi()}).status == 404;
  })) << Log();
}

TEST_F(OwnersOnKubernetes, PlaceIsHeldForWhatTheOperatorMakesAgain) {
  database_->Execute("UPDATE queues SET replacement_hold = '1 hour'");
  SubmitAll();
  ASSERT_TRUE(Comes("mpi", "bound")) << Log();
  const std::string node = NodeOf("mpi-worker-1");
  Submit(Gang("fills", 1, {.cpu = 2}));
  ASSERT_TRUE(Comes("fills", "bound"));
  Submit(Gang("greedy", 1, {.cpu = 2}));
  ASSERT_TRUE(Waits("greedy"));
  EndPod("mpi-worker-1", false);
  EXPECT_TRUE(Comes([&] {
    return Ask("SELECT count(*) FROM pods WHERE state = 'failed'") == "1";
  }));
  SubmitWorker("mpi-worker-1-again");
  EXPECT_TRUE(Comes([&] { return NodeOf("mpi-worker-1-again") == node; }))
      << Log();
  EXPECT_EQ(StateOf("greedy"), "pending");
  // An object whose work is over makes nothing again, so no place is held.
  Send("PATCH", Mpi(),
       {{"status",
         {{"conditions", {{{"type", "Failed"}, {"status", "True"}}}}}}},
       kMergePatch);
  EndPod("mpi-worker-1-again", false);
  EXPECT_TRUE(Comes("greedy", "bound")) << Log();
}

}  // namespace
}  // namespace fluxnetes::testing
