// Match of fluxnetes.v1, and jobspecs of Submit, called by a real client over a
// socket.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "cluster/simulated/simulated_cluster.h"
#include "services/simulated_api/cluster_api.h"
#include "tests/services/support/grpc_scheduling.h"

namespace fluxnetes::services {
namespace {

using grpc::StatusCode;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class GrpcMatch : public GrpcScheduling<CommandDatabase> {
 protected:
  // Two nodes, in a rack each, of two sockets with four cores each.
  void AddStructuredNodes() {
    database_.Execute(
        "INSERT INTO node_structures (id, structure) VALUES ('two', "
        "'sockets: 2, cores: 8');"
        "INSERT INTO nodes (node_name, cpu_milli, memory_bytes, pods, labels, "
        "seen_at, structure) SELECT 'n' || i, 8000, 17179869184, 110, "
        "jsonb_build_object('topology.kubernetes.io/rack', 'r' || i), now(), "
        "'two' FROM generate_series(0, 1) AS i");
  }
  // Lets a group have all cores of both nodes, until `end` (SQL).
  void Occupy(const std::string& end) {
    database_.Execute(
        "INSERT INTO pod_groups (id, namespace, group_name, group_size, queue, "
        "priority, state, phase, shape, submitted_at, promoted_at, "
        "allocated_at, bound_at) VALUES (1, 'a', 'runs', 2, 'default', 0, "
        "'bound', NULL, 1, now(), now(), now(), now());"
        "INSERT INTO pods (uid, group_id, namespace, pod_name, asked_name, "
        "state, node_name, request, resource_version, created_at) SELECT "
        "'u' || i, 1, 'a', 'runs-' || i, 'runs', 'bound', 'n' || i, "
        "'{\"resources\": {\"cpu\": \"8\"}}', '1', now() FROM "
        "generate_series(0, 1) AS i;"
        "INSERT INTO allocations (fluxion_job, group_id, queue, nodes, "
        "starts_at, ends_at, term) VALUES (1, 1, 'default', '{n0,n1}', now(), "
        "" +
        end +
        ", 1);"
        "INSERT INTO placements (fluxion_job, pod_uid, node_name, cpu_milli, "
        "memory_bytes) SELECT 1, 'u' || i, 'n' || i, 8000, 0 FROM "
        "generate_series(0, 1) AS i");
  }
  grpc::Status Match(const v1::MatchRequest& request,
                     v1::MatchResponse* response) {
    return Call(&v1::Scheduler::Stub::Match, request, response);
  }
  v1::MatchResponse Matched(const std::string& jobspec) {
    v1::MatchRequest request;
    request.set_jobspec(jobspec);
    v1::MatchResponse response;
    const grpc::Status status = Match(request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }
};

std::string SpecOf(const std::string& resources,
                   const std::string& attributes = "") {
  return "version: 1\nresources: [" + resources +
         "]\ntasks: []\nattributes: {" + attributes + "}\n";
}

// `count` pods, each with four cores of one socket.
std::string Sockets(int count) {
  return SpecOf("{type: socket, count: " + std::to_string(count) +
                ", with: [{type: slot, label: default, count: 1, with: [{type: "
                "core, count: 4}]}]}");
}

TEST_F(GrpcMatch, PodsThatFitNowHaveTheirPlacesAndTheGraphOfThem) {
  AddStructuredNodes();
  Serve();
  const v1::MatchResponse response = Matched(Sockets(3));
  EXPECT_EQ(response.state(), v1::MATCH_STATE_NOW);
  EXPECT_TRUE(response.has_starts_at());
  EXPECT_EQ(response.queue(), "default");
  EXPECT_EQ(response.pods(), 3);
  ASSERT_EQ(response.places_size(), 3);
  std::set<std::string> sockets;
  for (const v1::PodPlace& place : response.places()) {
    EXPECT_THAT(place.inside(), HasSubstr("core["));
    const auto set = nlohmann::json::parse(place.resource_set());
    EXPECT_EQ(set.at("version"), 1);
    EXPECT_EQ(set.at("execution").at("nodelist"),
              nlohmann::json::array({place.node()}));
    sockets.insert(place.node() + "/" + place.inside());
  }
  EXPECT_EQ(sockets.size(), 3U) << "two pods have the same cores";
  const auto graph = nlohmann::json::parse(response.graph_jgf()).at("graph");
  std::map<std::string, int> types;
  for (const auto& vertex : graph.at("nodes"))
    ++types[vertex.at("metadata").at("type")];
  EXPECT_EQ(types,
            (std::map<std::string, int>{
                {"cluster", 1}, {"node", 2}, {"socket", 3}, {"core", 12}}));
  EXPECT_EQ(database_.Ask("SELECT count(*) FROM pod_groups"), "0");
}

TEST_F(GrpcMatch, PodsThatDoNotFitNowAreReservedOrWaitOrNeverFit) {
  AddStructuredNodes();
  Serve();
  EXPECT_EQ(Matched(Sockets(5)).state(), v1::MATCH_STATE_NEVER);
  Occupy("now() + interval '1 hour'");
  const v1::MatchResponse reserved = Matched(Sockets(2));
  EXPECT_EQ(reserved.state(), v1::MATCH_STATE_RESERVED);
  EXPECT_EQ(reserved.places_size(), 2);
  EXPECT_EQ(database_.Ask("SELECT extract(EPOCH FROM ends_at)::bigint - " +
                          std::to_string(reserved.starts_at().seconds()) +
                          " BETWEEN -1 AND 1 FROM allocations"),
            "t");
  database_.Execute("UPDATE allocations SET ends_at = NULL");
  const v1::MatchResponse waits = Matched(Sockets(2));
  EXPECT_EQ(waits.state(), v1::MATCH_STATE_WAITS);
  EXPECT_FALSE(waits.has_starts_at());
  EXPECT_THAT(waits.places(), IsEmpty());
  EXPECT_EQ(waits.graph_jgf(), "");
}

TEST_F(GrpcMatch, QueueAndPodsOfTheRequestCount) {
  AddStructuredNodes();
  database_.Execute(
      "INSERT INTO queues (name, node_selector) VALUES ('second', "
      "'{\"topology.kubernetes.io/rack\": \"r1\"}')");
  Serve();
  v1::MatchRequest request;
  request.set_jobspec(
      SpecOf("{type: slot, label: default, count: {min: 1}, with: [{type: "
             "core, count: 4}]}"));
  request.set_pods(2);
  request.set_queue("second");
  v1::MatchResponse response;
  const grpc::Status status = Match(request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.queue(), "second");
  ASSERT_EQ(response.places_size(), 2);
  EXPECT_EQ(response.places(0).node(), "n1");
  EXPECT_EQ(response.places(1).node(), "n1");
  EXPECT_EQ(Matched(SpecOf("{type: slot, label: default, count: 1, with: "
                           "[{type: core, count: 1}]}",
                           "system: {queue: second}"))
                .queue(),
            "second");
}

TEST_F(GrpcMatch, RequestThatCannotBeIsRefusedWithItsField) {
  AddStructuredNodes();
  Serve();
  v1::MatchRequest request;
  const auto refused = [&] {
    v1::MatchResponse response;
    const grpc::Status status = Match(request, &response);
    EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
    return WrongFieldIn(status) + ": " + status.error_message();
  };
  EXPECT_THAT(refused(), HasSubstr("jobspec: jobspec: "));
  request.set_jobspec("version: 1\nresources: [}\n");
  EXPECT_THAT(refused(), HasSubstr("jobspec: jobspec: "));
  request.set_jobspec(SpecOf("{type: node, count: 1}"));
  EXPECT_THAT(refused(), HasSubstr("jobspec: resources[0]: has nothing below"));
  request.set_jobspec(SpecOf(
      "{type: slot, label: default, count: {min: 2}, with: [{type: core, "
      "count: 1}]}"));
  EXPECT_THAT(refused(), HasSubstr("no number of pods fixes it"));
  request.set_pods(-1);
  EXPECT_THAT(refused(), HasSubstr("pods: pods is -1"));
  request.set_pods(2);
  request.set_queue("nowhere");
  EXPECT_THAT(refused(), HasSubstr("there is no queue \"nowhere\""));
}

constexpr const char* kTwoPods = R"(
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: a}
spec:
  parallelism: 2
  completions: 2
  template:
    spec:
      schedulerName: fluxnetes
      restartPolicy: Never
      containers:
      - {name: c, image: busybox, resources: {requests: {cpu: 4}}}
---
apiVersion: v1
kind: Pod
metadata: {name: alone, namespace: a}
spec:
  schedulerName: fluxnetes
  containers:
  - {name: c, image: busybox, resources: {requests: {cpu: 4}}}
)";

TEST_F(GrpcMatch, JobspecOfASubmissionIsTheAnnotationOfItsPods) {
  cluster::SimulatedCluster cluster;
  ClusterApi cluster_api(
      cluster, {.address = "unix:" + ::testing::TempDir() + "grpc_jobspec"});
  cluster_api.Start();
  config_.cluster.listen = cluster_api.address();
  Serve();
  v1::SubmitRequest request;
  request.set_manifests(kTwoPods);
  request.set_jobspec(Sockets(2));
  v1::SubmitResponse response;
  const grpc::Status status =
      Call(&v1::Scheduler::Stub::Submit, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(response.objects_size(), 2);
  EXPECT_TRUE(response.objects(0).created()) << response.objects(0).error();
  EXPECT_EQ(response.objects(0).warning(), "");
  // A pod alone is no group of two.
  EXPECT_THAT(response.objects(1).warning(), HasSubstr("2 slots"));
  const auto pod = cluster.GetPod("a", "alone");
  ASSERT_TRUE(pod);
  EXPECT_EQ(pod->annotations.at("fluxnetes.jobspec"), Sockets(2));
}

TEST_F(GrpcMatch, JobspecBesideThatOfTheManifestIsRefused) {
  Serve();
  v1::SubmitRequest request;
  request.set_dry_run(true);
  request.set_jobspec(Sockets(2));
  for (const char* const where : {"metadata: {name: train, namespace: a",
                                  "metadata: {name: alone, namespace: a"}) {
    std::string manifests = kTwoPods;
    manifests.insert(manifests.find(where) + std::string(where).size(),
                     ", annotations: {fluxnetes.jobspec: \"x\"}");
    request.set_manifests(manifests);
    v1::SubmitResponse response;
    const grpc::Status status =
        Call(&v1::Scheduler::Stub::Submit, request, &response);
    EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(WrongFieldIn(status), "jobspec");
    EXPECT_THAT(status.error_message(), HasSubstr("has the annotation"));
  }
}

}  // namespace
}  // namespace fluxnetes::services
