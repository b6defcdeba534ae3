// Manifests given to Submit and Simulate of fluxnetes.v1, called by a real
// client over a socket.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/simulated/simulated_cluster.h"
#include "services/simulated_api/cluster_api.h"
#include "tests/services/support/grpc_client.h"
#include "tests/services/support/grpc_scheduling.h"

namespace fluxnetes::services {
namespace {

using grpc::StatusCode;
using ::testing::HasSubstr;

class GrpcManifests : public GrpcScheduling<CommandDatabase> {
 protected:
  void ServeWithCluster() {
    cluster_api_.Start();
    config_.cluster.listen = cluster_api_.address();
    Serve();
  }

  std::vector<std::string> notes_;
  cluster::SimulatedCluster cluster_;
  ClusterApi cluster_api_{
      cluster_, {.address = "unix:" + ::testing::TempDir() + "grpc_submit"}};
};

constexpr const char* kJob = R"(
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: a}
spec:
  template:
    spec:
      schedulerName: fluxnetes
      restartPolicy: Never
      containers:
      - {name: c, image: busybox, resources: {requests: {cpu: 1}}}
)";

TEST_F(GrpcManifests, ManifestIsCreatedAndWritesAnAuditRow) {
  ServeWithCluster();
  v1::SubmitRequest request;
  request.set_manifests(kJob);
  request.set_dry_run(true);
  v1::SubmitResponse checked;
  grpc::Status status = Call(&v1::Scheduler::Stub::Submit, request, &checked);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_FALSE(checked.objects(0).created());
  EXPECT_EQ(Audit(), "");
  request.set_dry_run(false);
  v1::SubmitResponse response;
  status = Call(&v1::Scheduler::Stub::Submit, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.objects(0).name(), "job.batch/train");
  EXPECT_EQ(response.objects(0).error(), "");
  EXPECT_TRUE(response.objects(0).created());
  EXPECT_EQ(Audit(), "local operator grpc submit a/job.batch/train created");
}

TEST_F(GrpcManifests, ClaimsOfAManifestAreCreatedInTheirNamespace) {
  ServeWithCluster();
  v1::SubmitRequest request;
  request.set_namespace_("a");
  request.set_manifests(R"(
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: shared}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}
)");
  v1::SubmitResponse response;
  const grpc::Status status =
      Call(&v1::Scheduler::Stub::Submit, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_TRUE(response.objects(0).created()) << response.objects(0).error();
  EXPECT_EQ(response.objects(0).name(), "resourceclaim.resource.k8s.io/shared");
  EXPECT_EQ(response.objects(0).namespace_(), "a");
  EXPECT_NE(cluster_.GetResourceClaim("a", "shared"), nullptr);
  EXPECT_EQ(Audit(),
            "local operator grpc submit "
            "a/resourceclaim.resource.k8s.io/shared created");
}

TEST_F(GrpcManifests, PlacementOfARequestIsWrittenToItsPods) {
  ServeWithCluster();
  v1::SubmitRequest request;
  request.set_manifests(R"(
apiVersion: v1
kind: Pod
metadata: {name: train, namespace: a}
spec:
  schedulerName: fluxnetes
  containers:
  - {name: c, image: busybox, resources: {requests: {cpu: 1}}}
)");
  v1::PlacementRequest& placement = *request.mutable_placement();
  placement.set_exclusive(true);
  placement.mutable_pods_per_node()->set_pods(4);
  placement.mutable_pods_per_node()->set_at_most(true);
  v1::LevelRequest* level = placement.add_required_levels();
  level->set_level("rack");
  level->set_pods(1);
  placement.add_required_levels()->set_level("zone");
  placement.add_preferred_levels()->set_level("host");
  v1::SubmitResponse response;
  const grpc::Status status =
      Call(&v1::Scheduler::Stub::Submit, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_TRUE(response.objects(0).created()) << response.objects(0).error();
  EXPECT_EQ(response.objects(0).warning(), "");
  const auto pod = cluster_.GetPod("a", "train");
  ASSERT_TRUE(pod);
  EXPECT_EQ(pod->labels.at("fluxnetes.exclusive"), "true");
  EXPECT_EQ(pod->labels.at("fluxnetes.pods-per-node"), "at-most-4");
  EXPECT_EQ(pod->annotations.at("fluxnetes.topology-required"), "rack:1,zone");
  EXPECT_EQ(pod->annotations.at("fluxnetes.topology-preferred"), "host");
}

TEST_F(GrpcManifests, PlacementThatCannotBeIsRefusedWithItsField) {
  Serve();
  v1::SubmitRequest request;
  request.set_manifests(kJob);
  request.set_dry_run(true);
  const auto refused = [&] {
    v1::SubmitResponse response;
    const grpc::Status status =
        Call(&v1::Scheduler::Stub::Submit, request, &response);
    EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
    return WrongFieldIn(status) + ": " + status.error_message();
  };
  v1::PlacementRequest& placement = *request.mutable_placement();
  placement.mutable_pods_per_node();
  EXPECT_THAT(refused(), HasSubstr("placement.pods_per_node.pods: "));
  placement.clear_pods_per_node();
  placement.add_required_levels()->set_level("rack");
  placement.add_required_levels()->set_level("zone");
  EXPECT_THAT(refused(), HasSubstr("placement.required_levels: "));
  placement.clear_required_levels();
  placement.set_exclusive(true);
  std::string shared = kJob;
  shared.insert(shared.find("    spec:\n      schedulerName"),
                "    metadata: {labels: {fluxnetes.exclusive: \"false\"}}\n");
  request.set_manifests(shared);
  EXPECT_THAT(refused(), HasSubstr("fluxnetes.exclusive is \"false\""));
}

TEST_F(GrpcManifests, ManifestThatCannotBeIsRefusedWithItsLine) {
  Serve();
  v1::SubmitRequest request;
  request.set_manifests("\nkind: Sheep\napiVersion: v1\n");
  v1::SubmitResponse response;
  const grpc::Status status =
      Call(&v1::Scheduler::Stub::Submit, request, &response);
  EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("manifests:2"));
  EXPECT_EQ(WrongFieldIn(status), "manifests");
}

TEST_F(GrpcManifests, SimulationGoesOnFromWhatThereIs) {
  AddExampleGroups();
  database_.Execute("UPDATE nodes SET unschedulable = NULL");
  database_.Execute(
      "UPDATE pods SET request = '{\"resources\": {\"cpu\": \"1\"}}'");
  Serve();
  v1::SimulateRequest request;
  request.set_manifests(kJob);
  v1::SimulateResponse response;
  const grpc::Status status =
      Call(&v1::Scheduler::Stub::Simulate, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  std::vector<std::string> started;
  for (const v1::SimulatedGroup& group : response.groups())
    if (group.has_starts_at()) started.push_back(group.name());
  EXPECT_THAT(started, ::testing::Contains("a/runs"));
  EXPECT_THAT(started, ::testing::Contains(HasSubstr("train")));
  EXPECT_THAT(response.summary_json(), HasSubstr("\"makespan\""));
  EXPECT_EQ(response.unchanged_size(), 0);

  request.set_compare(true);
  v1::SimulateResponse compared;
  ASSERT_TRUE(Call(&v1::Scheduler::Stub::Simulate, request, &compared).ok());
  EXPECT_EQ(compared.groups_size(), response.groups_size());
  EXPECT_EQ(compared.unchanged_size(), compared.groups_size() - 1);
  EXPECT_TRUE(compared.has_begins_at());
  for (const v1::SimulatedGroup& group : compared.unchanged()) {
    EXPECT_THAT(group.name(), ::testing::Not(HasSubstr("train")));
    if (group.name() == "a/runs") {
      EXPECT_THAT(group.nodes(), ::testing::Not(::testing::IsEmpty()));
    }
  }
}

TEST_F(GrpcManifests, SimulationHasMoreNodesInTheRackThatIsNamed) {
  AddExampleGroups();
  database_.Execute("UPDATE nodes SET unschedulable = NULL");
  database_.Execute(
      "UPDATE pods SET request = '{\"resources\": {\"cpu\": \"1\"}}'");
  Serve();
  std::string job = kJob;
  job.replace(job.find("  template:\n"), 12,
              "  template:\n    metadata:\n      labels: {"
              "fluxnetes.topology-required: rack}\n");
  v1::SimulateRequest request;
  request.set_manifests(job);
  const auto start = [&](const std::string& added) {
    request.clear_add_nodes();
    request.add_add_nodes(added);
    v1::SimulateResponse response;
    const grpc::Status status =
        Call(&v1::Scheduler::Stub::Simulate, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    notes_ = {response.notes().begin(), response.notes().end()};
    for (const v1::SimulatedGroup& group : response.groups())
      if (group.name().find("train") != std::string::npos)
        return group.has_starts_at();
    return false;
  };
  EXPECT_FALSE(start("1:like=n1"));
  EXPECT_THAT(notes_,
              ::testing::Contains(HasSubstr("like n1 the nodes have no rack "
                                            "(topology.kubernetes.io/rack)")));
  EXPECT_TRUE(start("1:like=n1,rack=r1"));
  EXPECT_THAT(notes_, ::testing::Not(::testing::Contains(HasSubstr("rack"))));
}

}  // namespace
}  // namespace fluxnetes::services
