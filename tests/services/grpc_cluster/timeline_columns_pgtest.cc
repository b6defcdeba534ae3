// GetTimelineChart of fluxnetes.v1, called by a real client over a socket.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "services/explain/timeline.h"
#include "services/explain/timeline_queries.h"
#include "tests/services/support/grpc_scheduling.h"
#include "tests/services/support/waiting_group_database.h"

namespace fluxnetes::services {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

constexpr int kNoTime = std::numeric_limits<int>::max();

class GrpcTimelineChart : public GrpcScheduling<WaitingGroupDatabase> {
 protected:
  v1::GetTimelineChartResponse Got(
      const v1::GetTimelineChartRequest& request = {}) {
    v1::GetTimelineChartResponse response;
    const grpc::Status status =
        Call(&v1::Scheduler::Stub::GetTimelineChart, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }
};

TEST_F(GrpcTimelineChart, ColumnsSayTheSameAsTheTimeline) {
  AddWaitingGroup();
  database_.Execute(
      "INSERT INTO maintenance (nodes, starts_at, reason, made_at)"
      " VALUES ('{n1}', now() + interval '1 hour', 'new disks', now())");
  Serve();
  const v1::GetTimelineChartResponse all = Got();
  EXPECT_THAT(all.nodes(), ElementsAre("n0", "n1", "small"));
  EXPECT_THAT(all.node_levels(), IsEmpty());
  const v1::TimelineColumns& groups = all.groups();
  EXPECT_THAT(groups.ids(), ElementsAre(1, 2, 3));
  EXPECT_THAT(groups.names(), ElementsAre("runs", "first", "asked"));
  EXPECT_THAT(groups.namespaces(), ElementsAre("a"));
  EXPECT_THAT(groups.namespace_places(), ElementsAre(0, 0, 0));
  EXPECT_THAT(groups.queues(), ElementsAre("default"));
  EXPECT_THAT(groups.sizes(), ElementsAre(2, 2, 1));
  EXPECT_THAT(groups.kinds(),
              ElementsAre(v1::TIMELINE_KIND_RUNNING, v1::TIMELINE_KIND_RESERVED,
                          v1::TIMELINE_KIND_FORECAST));
  EXPECT_THAT(groups.node_counts(), ElementsAre(2, 2, 0));
  EXPECT_THAT(groups.node_places(), ElementsAre(0, 1, 0, 1));
  EXPECT_NEAR(groups.ends(0) - groups.starts(0), 1'100, 1);
  EXPECT_EQ(groups.starts(1), groups.ends(0));
  EXPECT_NEAR(groups.ends(1) - groups.starts(1), 500, 1);
  EXPECT_EQ(groups.ends(2), kNoTime);
  ASSERT_EQ(all.maintenance_size(), 1);
  EXPECT_EQ(all.maintenance(0).node(), "n1");
  EXPECT_FALSE(all.cut());
}

// Groups of every phase, some about to be cancelled, with and without a
// reservation and an estimate of either kind.
TEST_F(GrpcTimelineChart, EveryGroupIsThereAsInTheTimeline) {
  AddWaitingGroup();
  database_.Execute(
      "INSERT INTO pod_groups (id, namespace, group_name, group_size, queue,"
      " priority, state, phase, shape, cancel_reason, duration_seconds,"
      " submitted_at, promoted_at) SELECT 100 + i, 'a', 'many' || i, 1,"
      " 'default', 0, 'pending', (ARRAY['queued', 'reserved', 'deferred',"
      " 'held'])[1 + i % 4], 1, CASE WHEN i % 3 = 0 THEN 'asked' END,"
      " nullif(i % 2, 0) * 60, now(), now() FROM generate_series(0, 71) AS i;"
      "INSERT INTO reservations (group_id, queue, kind, starts_at, nodes,"
      " made_at) SELECT 100 + i, 'default', CASE WHEN i % 8 < 4 THEN"
      " 'reservation' ELSE 'drain' END, CASE WHEN i % 8 < 4 THEN now() END,"
      " '{n0}', now() FROM generate_series(0, 71) AS i WHERE i / 12 % 2 = 0;"
      "INSERT INTO estimates (group_id, starts_at, approximate, rests_on,"
      " made_at) SELECT 100 + i, CASE WHEN i % 5 > 0 THEN now() END,"
      " i % 5 > 0 AND i % 7 < 3, 'x', now() FROM generate_series(0, 71) AS i"
      " WHERE i / 24 % 3 < 2");
  sql::PoolOptions options = database_.options();
  options.catalogues = {queries::kAllTimeline};
  sql::Pool pool(options);
  sql::Transaction transaction(pool);
  const auto words = [](const std::vector<Span>& spans) {
    std::vector<std::string> words;
    for (const Span& span : spans)
      words.push_back(fmt::format(
          "{} {} {} {} {} {} {} {}", span.kind, span.id, span.group.name,
          span.queue, span.size, fmt::join(span.nodes, ","),
          span.start ? span.start->time_since_epoch().count() : 0,
          span.end ? span.end->time_since_epoch().count() : 0));
    return words;
  };
  const auto chart =
      words(ReadChartSpans(transaction, std::nullopt, std::nullopt, 1'000));
  EXPECT_GT(chart.size(), 25);
  EXPECT_THAT(chart, UnorderedElementsAreArray(words(ReadSpans(
                         transaction, {std::nullopt, std::nullopt}))));
}

TEST_F(GrpcTimelineChart, NodesAreSortedIntoALevel) {
  AddWaitingGroup();
  database_.Execute(
      "UPDATE nodes SET labels = '{\"topology.kubernetes.io/rack\": \"r2\"}'"
      " WHERE node_name = 'n0';"
      "UPDATE nodes SET labels = '{\"topology.kubernetes.io/rack\": \"r1\"}'"
      " WHERE node_name = 'small';"
      // A node that has left, on which a group still has its place.
      "UPDATE allocations SET nodes = '{n0,left}'");
  Serve();
  v1::GetTimelineChartRequest request;
  request.set_level("rack");
  const v1::GetTimelineChartResponse all = Got(request);
  EXPECT_THAT(all.nodes(), ElementsAre("n0", "n1", "small", "left"));
  EXPECT_THAT(all.level_values(), ElementsAre("r1", "r2"));
  EXPECT_THAT(all.node_levels(), ElementsAre(1, -1, 0, -1));

  request.set_level("no label");
  v1::GetTimelineChartResponse response;
  const grpc::Status status =
      Call(&v1::Scheduler::Stub::GetTimelineChart, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(WrongFieldIn(status), "level");
}

TEST_F(GrpcTimelineChart, NamespaceAndQueueLeaveOut) {
  AddWaitingGroup();
  Serve();
  v1::GetTimelineChartRequest request;
  request.set_namespace_("b");
  EXPECT_THAT(Got(request).groups().ids(), IsEmpty());
  request.set_namespace_("a");
  request.set_queue("elsewhere");
  EXPECT_THAT(Got(request).groups().ids(), IsEmpty());
  EXPECT_THAT(Got(request).nodes(), ElementsAre("n0", "n1", "small"));
}

}  // namespace
}  // namespace fluxnetes::services
