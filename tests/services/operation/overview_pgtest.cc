#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/operation/overview.h"
#include "tests/services/support/command_database.h"
#include "tests/services/support/grpc_client.h"
#include "tests/services/support/grpc_scheduling.h"

namespace fluxnetes::services {
namespace {

using OverviewCall = GrpcScheduling<CommandDatabase>;

TEST_F(OverviewCall, CountsAndNamesWhatPeopleLookForFirst) {
  AddExampleGroups();
  database_.Execute("UPDATE queues SET paused = true");
  Serve();
  v1::GetOverviewResponse response;
  const grpc::Status status = Call(&v1::Scheduler::Stub::GetOverview,
                                   v1::GetOverviewRequest(), &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(std::to_string(response.pending()) + " " +
                std::to_string(response.unsatisfiable()) + " " +
                std::to_string(response.bound()) + " " +
                std::to_string(response.provisional()),
            database_.Ask(
                "SELECT count(*) FILTER (WHERE state = 'pending') || ' ' || "
                "count(*) FILTER (WHERE state = 'unsatisfiable') || ' ' || "
                "count(*) FILTER (WHERE state = 'bound') || ' ' || "
                "(SELECT count(*) FROM groups_provisional) FROM pod_groups"));
  EXPECT_GT(response.pending(), 0);
  ASSERT_GT(response.oldest_size(), 0);
  EXPECT_EQ(response.oldest(0).namespace_() + "/" + response.oldest(0).name(),
            database_.Ask(
                "SELECT namespace || '/' || group_name FROM pod_groups "
                "WHERE state = 'pending' ORDER BY submitted_at, id LIMIT 1"));
  ASSERT_EQ(response.paused_queues_size(),
            std::stoi(database_.Ask("SELECT count(*) FROM queues")));
}

TEST_F(OverviewCall, NextStartsAreInTheirOrder) {
  AddExampleGroups();
  database_.Execute(
      "INSERT INTO estimates (group_id, starts_at, approximate, rests_on, "
      "made_at) SELECT id, now() + id * interval '1 hour', false, 'the run', "
      "now() FROM pod_groups WHERE state = 'pending' "
      "ON CONFLICT (group_id) DO UPDATE SET starts_at = excluded.starts_at");
  Serve();
  v1::GetOverviewResponse response;
  ASSERT_TRUE(Call(&v1::Scheduler::Stub::GetOverview, v1::GetOverviewRequest(),
                   &response)
                  .ok());
  std::string ids;
  for (const v1::GroupTime& next : response.next_starts())
    ids += (ids.empty() ? "" : ",") + std::to_string(next.id());
  EXPECT_EQ(ids, database_.Ask("SELECT string_agg(id::text, ',' ORDER BY id) "
                               "FROM pod_groups WHERE state = 'pending'"));
}

TEST_F(OverviewCall, GroupsAreCountedOnceForAllCallers) {
  AddExampleGroups();
  Serve();
  v1::GetOverviewResponse first;
  ASSERT_TRUE(
      Call(&v1::Scheduler::Stub::GetOverview, v1::GetOverviewRequest(), &first)
          .ok());
  database_.Execute("UPDATE queues SET paused = NOT paused");
  v1::GetOverviewResponse second;
  ASSERT_TRUE(
      Call(&v1::Scheduler::Stub::GetOverview, v1::GetOverviewRequest(), &second)
          .ok());
  // Two seconds later it would be another count.
  EXPECT_TRUE(second.counted_at().seconds() > first.counted_at().seconds() ||
              first.SerializeAsString() == second.SerializeAsString());
}

}  // namespace
}  // namespace fluxnetes::services
