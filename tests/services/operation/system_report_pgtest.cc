#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/operation/system_report.h"
#include "tests/services/support/command_database.h"
#include "tests/services/support/grpc_client.h"
#include "tests/services/support/grpc_scheduling.h"

namespace fluxnetes::services {
namespace {

class SystemCall : public GrpcScheduling<CommandDatabase> {
 protected:
  v1::GetSystemResponse Get(bool checkup = false) {
    v1::GetSystemRequest request;
    request.set_checkup(checkup);
    v1::GetSystemResponse response;
    const grpc::Status status =
        Call(&v1::Scheduler::Stub::GetSystem, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }
};

TEST_F(SystemCall, SaysWhoIsAliveAndWhoLeadsWhat) {
  database_.Execute(
      "INSERT INTO clients (name, heartbeat_at, time_to_live) VALUES "
      "('dead', now() - interval '1 hour', '3 s'), "
      "('alive', now(), '1 hour');"
      "INSERT INTO leaders (name, term, client_id) VALUES "
      "('intake', 7, (SELECT id FROM clients WHERE name = 'alive')), "
      "('maintenance', 2, (SELECT id FROM clients WHERE name = 'dead'))");
  Serve();
  const v1::GetSystemResponse response = Get();
  ASSERT_EQ(response.replicas_size(), 2);
  EXPECT_EQ(response.replicas(0).name(), "alive");
  EXPECT_TRUE(response.replicas(0).alive());
  EXPECT_FALSE(response.replicas(1).alive());
  ASSERT_EQ(response.leaderships_size(), 2);
  EXPECT_EQ(response.leaderships(0).name(), "intake");
  EXPECT_EQ(response.leaderships(0).term(), 7);
  EXPECT_EQ(response.leaderships(0).replica(), response.replicas(0).id());
  EXPECT_EQ(response.leaderships(1).replica(), 0) << "its leader is dead";
  EXPECT_GT(response.database().size_bytes(), 0);
  EXPECT_GT(response.database().migration(), 0);
  EXPECT_EQ(response.database().schema(), database_.schema());
  EXPECT_EQ(response.checkup_size(), 0);
}

TEST_F(SystemCall, HasTheLoopsOfThoseThatAreAlive) {
  database_.Execute(
      "INSERT INTO clients (name, heartbeat_at, time_to_live) VALUES "
      "('dead', now() - interval '1 hour', '3 s'), "
      "('alive', now(), '1 hour');"
      "INSERT INTO replica_loops (client_id, name, number, runs, failures, "
      "last_run_at, took, lag, running, failing, reported_at) "
      "SELECT id, l, 0, 7, 2, now(), 0.25, 0.5, NULL, 3, now() "
      "FROM clients, unnest(ARRAY['match', 'intake']) AS l");
  Serve();
  const v1::GetSystemResponse response = Get();
  ASSERT_EQ(response.loops_size(), 2);
  const v1::Loop& loop = response.loops(0);
  EXPECT_EQ(loop.name(), "intake");
  EXPECT_EQ(loop.replica(), response.replicas(0).id());
  EXPECT_EQ(loop.runs(), 7);
  EXPECT_EQ(loop.failures(), 2);
  EXPECT_EQ(loop.took_seconds(), 0.25);
  EXPECT_EQ(loop.lag_seconds(), 0.5);
  EXPECT_EQ(loop.running_seconds(), 0);
  EXPECT_EQ(loop.failing_seconds(), 3);
  EXPECT_TRUE(loop.has_last_run_at());
}

TEST_F(SystemCall, RunsTheChecksOfTheDoctorWhereTheyAreAskedFor) {
  Serve();
  const v1::GetSystemResponse response = Get(true);
  ASSERT_GT(response.checkup_size(), 0);
  for (const v1::Check& check : response.checkup()) {
    EXPECT_NE(check.status(), v1::CHECK_STATUS_UNSPECIFIED) << check.name();
    EXPECT_FALSE(check.name().empty());
  }
}

TEST(SystemReport, HealthIsThatOfTheProcess) {
  v1::GetSystemResponse response;
  FillHealth(response, {{.name = "database", .note = "well"},
                        {.name = "cluster", .problem = "not listed"}});
  ASSERT_EQ(response.health_size(), 2);
  EXPECT_EQ(response.health(0).status(), v1::CHECK_STATUS_WELL);
  EXPECT_EQ(response.health(1).status(), v1::CHECK_STATUS_FAILED);
  EXPECT_EQ(response.health(1).what(), "not listed");
}

}  // namespace
}  // namespace fluxnetes::services
