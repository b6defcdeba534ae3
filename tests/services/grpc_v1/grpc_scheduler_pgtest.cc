// fluxnetes.v1.Scheduler, called by a real client over a socket.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/services/support/grpc_client.h"
#include "tests/services/support/grpc_scheduling.h"

namespace fluxnetes::services {
namespace {

using grpc::StatusCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using GrpcSchedulerTest = GrpcScheduling<CommandDatabase>;

TEST_F(GrpcSchedulerTest, PagesHoldEachGroupOnce) {
  AddExampleGroups();
  Serve();
  v1::ListGroupsRequest request;
  request.set_page_size(2);
  request.set_finished_within_seconds(3600);
  std::vector<std::string> names;
  int pages = 0;
  do {
    v1::ListGroupsResponse response;
    const grpc::Status status = List(request, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
    EXPECT_LE(response.groups_size(), 2);
    for (const std::string& name : NamesOf(response.groups()))
      names.push_back(name);
    request.set_page_token(response.next_page_token());
    ++pages;
  } while (!request.page_token().empty() && pages < 10);
  EXPECT_THAT(names, ElementsAre("a/runs", "a/first", "b/second", "a/huge",
                                 "a/fills", "b/over"));
  EXPECT_EQ(pages, 3);
}

TEST_F(GrpcSchedulerTest, RefusedGroupsComeFirstAndOnAPageOfTheirOwn) {
  AddExampleGroups();
  database_.Execute("DELETE FROM groups_provisional");  // one pod is refused
  database_.Execute("DELETE FROM pods_provisional WHERE refused IS NULL");
  Serve();
  v1::ListGroupsRequest request;
  request.set_page_size(1);
  v1::ListGroupsResponse response;
  ASSERT_TRUE(List(request, &response).ok());
  EXPECT_THAT(NamesOf(response.groups()), ElementsAre("a/fills"));
  EXPECT_EQ(response.groups(0).state(), v1::GROUP_STATE_REFUSED);
  request.set_page_token(response.next_page_token());
  v1::ListGroupsResponse next;
  ASSERT_TRUE(List(request, &next).ok());
  EXPECT_THAT(NamesOf(next.groups()), ElementsAre("a/runs"));
}

// Clients accept 4 MiB.
TEST_F(GrpcSchedulerTest, PageOfGroupsWithVeryManyNodesEndsBefore) {
  database_.Execute(
      "INSERT INTO pod_groups (id, namespace, group_name, group_size, queue,"
      "  priority, state, phase, shape, submitted_at, promoted_at, "
      "allocated_at)"
      " SELECT i, 'a', 'wide' || i, 1, 'default', 0, 'allocated', NULL, 1, "
      "now(),"
      "  now(), now() FROM generate_series(1, 3) AS i;"
      "INSERT INTO allocations (fluxion_job, group_id, queue, nodes, term,"
      "  starts_at) SELECT i, i, 'default', array(SELECT 'node-' ||"
      "  lpad(n::text, 240, '0') FROM generate_series(1, 5000) AS n), 1, now()"
      " FROM generate_series(1, 3) AS i");
  Serve();
  v1::ListGroupsRequest request;
  v1::ListGroupsResponse response;
  ASSERT_TRUE(List(request, &response).ok());
  EXPECT_THAT(NamesOf(response.groups()), ElementsAre("a/wide1", "a/wide2"));
  request.set_page_token(response.next_page_token());
  ASSERT_TRUE(List(request, &response).ok());
  EXPECT_THAT(NamesOf(response.groups()), ElementsAre("a/wide3"));
  EXPECT_EQ(response.next_page_token(), "");
}

TEST_F(GrpcSchedulerTest, ListKnowsNamespacesQueuesAndStates) {
  AddExampleGroups();
  Serve();
  v1::ListGroupsRequest request;
  request.set_namespace_("a");
  request.add_states(v1::GROUP_STATE_PENDING);
  request.add_states(v1::GROUP_STATE_BOUND);
  v1::ListGroupsResponse response;
  ASSERT_TRUE(List(request, &response).ok());
  ASSERT_THAT(NamesOf(response.groups()), ElementsAre("a/runs", "a/first"));
  const v1::Group& runs = response.groups(0);
  EXPECT_EQ(runs.pods().bound(), 1);
  EXPECT_EQ(runs.pods().succeeded(), 1);
  EXPECT_THAT(runs.nodes(), ElementsAre("n1", "n2"));
  const v1::Group& first = response.groups(1);
  EXPECT_EQ(first.phase(), v1::GROUP_PHASE_RESERVED);
  EXPECT_EQ(first.priority(), 5);
  EXPECT_EQ(first.duration_seconds(), 60);
  EXPECT_EQ(first.reason(), "waits for n1");
  EXPECT_EQ(first.estimate(), "reserved");
  request.set_queue("elsewhere");
  ASSERT_TRUE(List(request, &response).ok());
  EXPECT_THAT(response.groups(), IsEmpty());
}

TEST_F(GrpcSchedulerTest, WrongFieldIsNamed) {
  Serve();
  v1::ListGroupsRequest request;
  request.set_page_size(1'001);
  v1::ListGroupsResponse response;
  grpc::Status status = List(request, &response);
  EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(WrongFieldIn(status), "page_size");
  EXPECT_EQ(ReasonIn(status), "fluxnetes INVALID_REQUEST");
  request.set_page_size(0);
  request.set_page_token("of somebody else");
  status = List(request, &response);
  EXPECT_EQ(WrongFieldIn(status), "page_token");
  EXPECT_THAT(status.error_message(), HasSubstr("next_page_token"));
}

TEST_F(GrpcSchedulerTest, GroupComesWithItsPods) {
  AddExampleGroups();
  Serve();
  v1::GetGroupRequest request;
  request.set_namespace_("a");
  request.set_name("runs");
  v1::GetGroupResponse response;
  ASSERT_TRUE(Call(&v1::Scheduler::Stub::GetGroup, request, &response).ok());
  ASSERT_EQ(response.members_size(), 2);
  EXPECT_EQ(response.members(0).name(), "runs-0");
  EXPECT_EQ(response.members(0).node(), "n1");
  EXPECT_EQ(response.members(0).owner(), "Job/runs");
  request.set_name("nowhere");
  const grpc::Status status =
      Call(&v1::Scheduler::Stub::GetGroup, request, &response);
  EXPECT_EQ(status.error_code(), StatusCode::NOT_FOUND);
  EXPECT_EQ(ReasonIn(status), "fluxnetes NOT_FOUND");
  EXPECT_THAT(status.error_message(), HasSubstr("a/nowhere"));
}

TEST_F(GrpcSchedulerTest, CancelledGroupHasAnAuditRow) {
  AddExampleGroups();
  Serve();
  EXPECT_TRUE(Cancel("a", "runs").ok());
  EXPECT_EQ(database_.Ask("SELECT cancel_reason FROM pod_groups WHERE id = 1"),
            "cancelled by local");
  EXPECT_TRUE(Cancel("a", "runs").ok());  // it is being cancelled already
  EXPECT_EQ(Cancel("a", "nowhere").error_code(), StatusCode::NOT_FOUND);
  EXPECT_EQ(Audit(),
            "local operator grpc cancel group/a/runs cancelled by local");
}

TEST_F(GrpcSchedulerTest, HeldGroupIsReleasedOnce) {
  AddExampleGroups();
  Serve();
  v1::HoldGroupRequest hold;
  hold.set_namespace_("b");
  hold.set_name("second");
  hold.set_reason("wait for data");
  v1::HoldGroupResponse held;
  EXPECT_TRUE(Call(&v1::Scheduler::Stub::HoldGroup, hold, &held).ok());
  v1::ReleaseGroupRequest release;
  release.set_namespace_("b");
  release.set_name("second");
  v1::ReleaseGroupResponse released;
  EXPECT_TRUE(
      Call(&v1::Scheduler::Stub::ReleaseGroup, release, &released).ok());
  EXPECT_TRUE(released.released());
  EXPECT_TRUE(
      Call(&v1::Scheduler::Stub::ReleaseGroup, release, &released).ok());
  EXPECT_FALSE(released.released());
  hold.set_namespace_("a");
  hold.set_name("runs");
  EXPECT_EQ(Call(&v1::Scheduler::Stub::HoldGroup, hold, &held).error_code(),
            StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(Audit(),
            "local operator grpc hold group/b/second wait for data\n"
            "local operator grpc release group/b/second");
}

TEST_F(GrpcSchedulerTest, QueueIsSetWholeOrNotAtAll) {
  Serve();
  v1::SetQueueRequest request;
  request.set_name("default");
  (*request.mutable_settings())["queue_policy"] = "fcfs";
  (*request.mutable_settings())["paused"] = "true";
  v1::SetQueueResponse response;
  ASSERT_TRUE(Call(&v1::Scheduler::Stub::SetQueue, request, &response).ok());
  EXPECT_TRUE(response.queue().paused());
  EXPECT_EQ(response.queue().settings().at("queue_policy"), "fcfs");
  (*request.mutable_settings())["queue_policy"] = "easy";
  (*request.mutable_settings())["ageing"] = "old";
  grpc::Status status =
      Call(&v1::Scheduler::Stub::SetQueue, request, &response);
  EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(database_.Ask("SELECT queue_policy FROM queues"), "fcfs");
  request.set_name("nowhere");
  request.mutable_settings()->erase("ageing");
  status = Call(&v1::Scheduler::Stub::SetQueue, request, &response);
  EXPECT_EQ(status.error_code(), StatusCode::NOT_FOUND);
  EXPECT_EQ(database_.Ask("SELECT count(*) FROM audit"), "1");
}

TEST_F(GrpcSchedulerTest, NodesComeByPages) {
  AddExampleGroups();
  Serve();
  v1::ListNodesRequest request;
  request.set_page_size(1);
  v1::ListNodesResponse response;
  const grpc::Status status =
      Call(&v1::Scheduler::Stub::ListNodes, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(response.nodes_size(), 1);
  const v1::Node& n1 = response.nodes(0);
  EXPECT_EQ(n1.name(), "n1");
  EXPECT_EQ(n1.cpu_milli().allocatable(), 4000);
  EXPECT_EQ(n1.cpu_milli().granted(), 2000);
  EXPECT_EQ(n1.other().at("gpu").granted(), 1);
  request.set_page_token(response.next_page_token());
  ASSERT_TRUE(Call(&v1::Scheduler::Stub::ListNodes, request, &response).ok());
  ASSERT_EQ(response.nodes_size(), 1);
  EXPECT_EQ(response.nodes(0).unschedulable(), "cordoned");
  EXPECT_EQ(response.next_page_token(), "");
}

TEST_F(GrpcSchedulerTest, DatabaseThatIsAwayIsUnavailable) {
  config_.database.connection = "host=/nowhere dbname=fluxnetes";
  Serve();
  v1::ListGroupsResponse response;
  const grpc::Status status = List({}, &response);
  EXPECT_EQ(status.error_code(), StatusCode::UNAVAILABLE);
  EXPECT_EQ(ReasonIn(status), "fluxnetes DATABASE_OR_CLUSTER_AWAY");
}

TEST_F(GrpcSchedulerTest, CallThatIsLateIsNotBegun) {
  AddExampleGroups();
  Serve();
  v1::CancelGroupRequest request;
  request.set_namespace_("a");
  request.set_name("runs");
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() -
                       std::chrono::seconds(1));
  v1::CancelGroupResponse response;
  EXPECT_EQ(stub_->CancelGroup(&context, request, &response).error_code(),
            StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(Audit(), "");
}

TEST_F(GrpcSchedulerTest, RolesOfCertificatesAreKept) {
  AddExampleGroups();
  TestCertificates certificates(::testing::TempDir() + "grpc_roles");
  certificates.AddAuthority("ca");
  certificates.Add("server", "ca", "DNS:localhost");
  certificates.Add("ann", "ca", "URI:spiffe://example/ann");
  certificates.Add("bob", "ca", "DNS:bob.example");
  const std::string access = certificates.Path("access.yaml");
  std::ofstream(access) << "- name: spiffe://example/ann\n"
                           "  role: user\n"
                           "  namespaces: [a]\n";
  config_.grpc = {.listen = "127.0.0.1:0",
                  .certificate = certificates.Path("server.crt"),
                  .key = certificates.Path("server.key"),
                  .client_ca = certificates.Path("ca.crt"),
                  .access = access};
  Serve();
  const auto become = [&](const std::string& name) {
    stub_ = v1::Scheduler::NewStub(
        TlsChannel(api_->address(), certificates, "ca", name));
  };
  become("bob");  // a viewer
  v1::ListGroupsResponse response;
  EXPECT_TRUE(List({}, &response).ok());
  v1::GetTimelineResponse timeline;
  EXPECT_TRUE(Call(&v1::Scheduler::Stub::GetTimeline, v1::GetTimelineRequest(),
                   &timeline)
                  .ok());
  v1::ExplainGroupRequest explain;
  explain.set_namespace_("a");
  explain.set_name("fills");
  v1::ExplainGroupResponse explained;
  EXPECT_TRUE(
      Call(&v1::Scheduler::Stub::ExplainGroup, explain, &explained).ok());
  const grpc::Status denied = Cancel("a", "runs");
  EXPECT_EQ(denied.error_code(), StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(denied.error_message(),
            "bob is a viewer and may change nothing in the namespace a");
  become("ann");
  EXPECT_EQ(Cancel("b", "second").error_code(), StatusCode::PERMISSION_DENIED);
  EXPECT_TRUE(Cancel("a", "runs").ok());
  v1::SetQueueRequest queue;
  queue.set_name("default");
  v1::SetQueueResponse changed;
  EXPECT_EQ(Call(&v1::Scheduler::Stub::SetQueue, queue, &changed).error_code(),
            StatusCode::PERMISSION_DENIED);
  v1::SetPoolRequest pool;
  pool.set_name("matlab");
  pool.set_total(1);
  v1::SetPoolResponse pool_set;
  EXPECT_EQ(Call(&v1::Scheduler::Stub::SetPool, pool, &pool_set).error_code(),
            StatusCode::PERMISSION_DENIED);
  v1::DeletePoolRequest unwanted;
  unwanted.set_name("matlab");
  v1::DeletePoolResponse deleted;
  EXPECT_EQ(
      Call(&v1::Scheduler::Stub::DeletePool, unwanted, &deleted).error_code(),
      StatusCode::PERMISSION_DENIED);
  v1::SubmitRequest submit;
  submit.set_manifests(
      "apiVersion: v1\nkind: Node\nmetadata: {name: n9}\n"
      "status: {allocatable: {cpu: 1, memory: 1Gi}}\n");
  v1::SubmitResponse submitted;
  EXPECT_EQ(Call(&v1::Scheduler::Stub::Submit, submit, &submitted).error_code(),
            StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(Audit(),
            "spiffe://example/ann user grpc cancel group/a/runs cancelled by "
            "spiffe://example/ann");
}

}  // namespace
}  // namespace fluxnetes::services
