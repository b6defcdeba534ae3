#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/services/support/command_database.h"

namespace fluxnetes::services {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

using Loops = CommandDatabase;

TEST_F(Loops, AreListedWithWhatTheyDoAndHowLateTheyAre) {
  run_("get loops");
  EXPECT_THAT(run_.err(), HasSubstr("No loops found"));
  database_.Execute(
      "INSERT INTO clients (id, name, heartbeat_at, time_to_live) "
      "OVERRIDING SYSTEM VALUE VALUES "
      "(901, 'alive', now(), '1 hour'), "
      "(902, 'dead', now() - interval '1 hour', '3 s');"
      "INSERT INTO replica_loops (client_id, name, number, runs, failures, "
      "last_run_at, took, lag, running, failing, reported_at) VALUES "
      "(901, 'match', 0, 7, 2, NULL, 0.0125, 61, NULL, 30, now()), "
      "(901, 'intake', 0, 1, 0, now(), 0.25, 0, 2, NULL, now()), "
      "(902, 'intake', 0, 1, 0, NULL, NULL, NULL, NULL, NULL, now())");
  ASSERT_EQ(run_("get loops"), ExitCode::kOk) << run_.err();
  EXPECT_EQ(Columns(run_.out(), {0, 1, 2}),
            "REPLICA LOOP STATE\n"
            "alive intake runs\n"
            "alive match fails\n");
  EXPECT_THAT(run_.out(), ContainsRegex("250.0ms +0.0ms +1 +0 "));
  EXPECT_THAT(run_.out(), ContainsRegex("30s +12.5ms +61s +7 +2 +never"));
  run_("get loops -o json");
  const auto rows = nlohmann::json::parse(run_.out())["items"];
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1]["name"], "match");
  EXPECT_EQ(rows[1]["failingSeconds"], 30.0);
  EXPECT_TRUE(rows[1]["lastRunAt"].is_null());
  run_("get loops -o name");
  EXPECT_EQ(run_.out(), "alive/intake/0\nalive/match/0\n");
}

}  // namespace
}  // namespace fluxnetes::services
