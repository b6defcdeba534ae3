// GetTimeline of fluxnetes.v1, called by a real client over a socket.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/services/support/grpc_scheduling.h"
#include "tests/services/support/waiting_group_database.h"

namespace fluxnetes::services {
namespace {

using grpc::StatusCode;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class GrpcTimeline : public GrpcScheduling<WaitingGroupDatabase> {
 protected:
  grpc::Status Get(const v1::GetTimelineRequest& request,
                   v1::GetTimelineResponse* response) {
    return Call(&v1::Scheduler::Stub::GetTimeline, request, response);
  }
  v1::GetTimelineResponse Got(const v1::GetTimelineRequest& request = {}) {
    v1::GetTimelineResponse response;
    const grpc::Status status = Get(request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }

  static std::vector<std::string> NamesIn(const v1::GetTimelineResponse& page) {
    std::vector<std::string> names;
    for (const v1::TimelineGroup& group : page.groups())
      names.push_back(group.namespace_() + "/" + group.name());
    return names;
  }
};

TEST_F(GrpcTimeline, BarsHaveTheirNodesAndTimes) {
  AddWaitingGroup();
  database_.Execute(
      "INSERT INTO maintenance (nodes, starts_at, ends_at, reason, made_at)"
      " VALUES ('{n1}', now() + interval '1 hour', NULL, 'new disks', now())");
  Serve();
  const v1::GetTimelineResponse all = Got();
  ASSERT_THAT(NamesIn(all), ElementsAre("a/runs", "a/first", "a/asked"));
  const v1::TimelineGroup& runs = all.groups(0);
  EXPECT_EQ(runs.kind(), v1::TIMELINE_KIND_RUNNING);
  EXPECT_EQ(runs.ends_at().seconds() - runs.starts_at().seconds(), 1'100);
  ASSERT_EQ(runs.nodes_size(), 2);
  EXPECT_EQ(runs.nodes(1).name(), "n1");
  EXPECT_EQ(runs.nodes(1).cpu_milli(), 3'000);
  const v1::TimelineGroup& first = all.groups(1);
  EXPECT_EQ(first.kind(), v1::TIMELINE_KIND_RESERVED);
  EXPECT_EQ(first.starts_at().seconds(), runs.ends_at().seconds());
  EXPECT_EQ(first.ends_at().seconds() - first.starts_at().seconds(), 500);
  EXPECT_EQ(first.nodes_size(), 2);
  EXPECT_EQ(first.size(), 2);
  const v1::TimelineGroup& asked = all.groups(2);
  EXPECT_EQ(asked.kind(), v1::TIMELINE_KIND_FORECAST);
  EXPECT_FALSE(asked.has_ends_at());
  EXPECT_THAT(asked.nodes(), IsEmpty());
  ASSERT_EQ(all.maintenance_size(), 1);
  EXPECT_EQ(all.maintenance(0).node(), "n1");
  EXPECT_EQ(all.maintenance(0).reason(), "new disks");
  EXPECT_FALSE(all.maintenance(0).has_ends_at());
  EXPECT_GE(all.now().seconds(), runs.starts_at().seconds());
  EXPECT_EQ(all.next_page_token(), "");
}

TEST_F(GrpcTimeline, NodesOfBarsNameWhatPodsHaveInside) {
  AddWaitingGroup();
  database_.Execute(
      "UPDATE placements SET parts = 'socket0/core[0-2]' WHERE node_name = "
      "'n1';"
      "UPDATE reservations SET places = '{0, 1, 1}', "
      "parts = '{numa0/gpu1, numa1/, numa0/}'");
  Serve();
  const v1::GetTimelineResponse all = Got();
  ASSERT_THAT(NamesIn(all), ElementsAre("a/runs", "a/first", "a/asked"));
  const v1::TimelineGroup& runs = all.groups(0);
  EXPECT_THAT(runs.nodes(0).inside(), IsEmpty());
  EXPECT_THAT(runs.nodes(1).inside(), ElementsAre("socket0/core[0-2]"));
  const v1::TimelineGroup& first = all.groups(1);
  EXPECT_THAT(first.nodes(0).inside(), ElementsAre("numa0/gpu1"));
  EXPECT_THAT(first.nodes(1).inside(), ElementsAre("numa0/", "numa1/"));
}

TEST_F(GrpcTimeline, NodesOfBarsNameTheDevicesOfPods) {
  AddWaitingGroup();
  database_.Execute(R"(
      UPDATE placements SET devices =
        '[{"claim":"c","request":"r","driver":"d","pool":"p","device":"g1"}]'
        WHERE node_name = 'n1';
      UPDATE reservations SET places = '{0, 1}', devices = ARRAY['',
        '[{"claim":"c","request":"r","driver":"d","pool":"p","device":"g1"},'
        '{"claim":"c","request":"r","driver":"d","pool":"p","device":"g0"}]'])");
  Serve();
  const v1::GetTimelineResponse all = Got();
  const v1::TimelineGroup& runs = all.groups(0);
  EXPECT_THAT(runs.nodes(0).devices(), IsEmpty());
  EXPECT_THAT(runs.nodes(1).devices(), ElementsAre("d/p/g1"));
  EXPECT_THAT(runs.nodes(1).inside(), IsEmpty());
  const v1::TimelineGroup& first = all.groups(1);
  EXPECT_THAT(first.nodes(0).devices(), IsEmpty());
  EXPECT_THAT(first.nodes(1).devices(), ElementsAre("d/p/g0", "d/p/g1"));
}

TEST_F(GrpcTimeline, PagesHoldEachGroupOnce) {
  AddWaitingGroup();
  // A group without a known start, with a drain set.
  database_.Execute(
      "INSERT INTO pod_groups (id, namespace, group_name, group_size, queue,"
      "  priority, state, phase, shape, submitted_at, promoted_at) VALUES"
      "  (4, 'b', 'drains', 1, 'default', 0, 'pending', 'reserved', 4, now(),"
      "  now());"
      "INSERT INTO reservations (group_id, queue, kind, nodes, made_at) VALUES"
      "  (4, 'default', 'drain', '{n0}', now())");
  Serve();
  v1::GetTimelineRequest request;
  request.set_page_size(1);
  std::vector<std::string> names;
  do {
    const v1::GetTimelineResponse page = Got(request);
    ASSERT_THAT(page.groups(), SizeIs(1));
    names.push_back(NamesIn(page)[0]);
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty() && names.size() < 9);
  EXPECT_THAT(names, ElementsAre("a/runs", "a/first", "b/drains", "a/asked"));
}

TEST_F(GrpcTimeline, NamespaceQueueAndHorizonLeaveOut) {
  AddWaitingGroup();
  Serve();
  v1::GetTimelineRequest request;
  request.set_horizon_seconds(1'200);
  EXPECT_THAT(NamesIn(Got(request)), ElementsAre("a/runs", "a/first"));
  request.set_namespace_("b");
  EXPECT_THAT(Got(request).groups(), IsEmpty());
  request.set_namespace_("a");
  request.set_queue("elsewhere");
  EXPECT_THAT(Got(request).groups(), IsEmpty());
}

TEST_F(GrpcTimeline, OneGroupIsAskedForByItsId) {
  AddWaitingGroup();
  Serve();
  v1::GetTimelineRequest request;
  request.set_group(Got().groups(1).id());
  EXPECT_THAT(NamesIn(Got(request)), ElementsAre("a/first"));
  request.set_group(99);
  EXPECT_THAT(Got(request).groups(), IsEmpty());
}

// Clients accept 4 MiB.
TEST_F(GrpcTimeline, PageWithManyNodesEndsBefore) {
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
  v1::GetTimelineRequest request;
  const v1::GetTimelineResponse first = Got();
  EXPECT_THAT(NamesIn(first), ElementsAre("a/wide1"));
  request.set_page_token(first.next_page_token());
  EXPECT_THAT(NamesIn(Got(request)), ElementsAre("a/wide2"));
}

TEST_F(GrpcTimeline, WrongFieldIsNamed) {
  Serve();
  const auto wrong = [this](const v1::GetTimelineRequest& request) {
    v1::GetTimelineResponse response;
    const grpc::Status status = Get(request, &response);
    EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(ReasonIn(status), "fluxnetes INVALID_REQUEST");
    return WrongFieldIn(status);
  };
  v1::GetTimelineRequest request;
  request.set_horizon_seconds(-1);
  EXPECT_EQ(wrong(request), "horizon_seconds");
  request.set_horizon_seconds(0);
  request.set_page_size(-1);
  EXPECT_EQ(wrong(request), "page_size");
  request.set_page_size(0);
  for (const char* token :
       {"x", "1/2", "1//", "/1/1", "1/-1/1", "1/999999999999999999/1"}) {
    request.set_page_token(token);
    EXPECT_EQ(wrong(request), "page_token") << token;
  }
}

}  // namespace
}  // namespace fluxnetes::services
