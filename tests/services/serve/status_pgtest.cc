// /healthz, /readyz and /metrics of a running `serve`.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <regex>

#include "cluster/http/http_client.h"
#include "tests/services/support/deployment.h"
#include "tests/support/postgres.h"

namespace fluxnetes::services {
namespace {

using cluster::HttpClient;
using cluster::HttpResponse;
using std::chrono::seconds;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using testing::Process;
using testing::WaitUntil;

class StatusTest : public ::testing::Test {
 protected:
  std::map<std::string, std::string> WithStatus(
      std::map<std::string, std::string> environment = {}) {
    environment["FLUXNETES_HTTP_LISTEN"] = "unix:" + socket_;
    environment["FLUXNETES_CLIENT_TTL"] = "10s";  // for slow machines
    return environment;
  }
  HttpResponse Get(const std::string& path) {
    HttpClient client({.address = "unix:" + socket_});
    return client.Send({.path = path, .once = true});
  }
  bool BecomesReady() {
    return WaitUntil(kPatience, [&] { return Get("/readyz").status == 200; });
  }
  // Returns the value after a name with its labels; -1: absent.
  static double Figure(const std::string& page, const std::string& name) {
    const std::size_t at = page.find("\n" + name + " ");
    if (at == std::string::npos) return -1;
    return std::stod(page.substr(at + name.size() + 2));
  }

  testing::TestDatabase database_;
  Deployment world_{database_.options()};
  const std::string socket_ = world_.folder() + "/status";
};

TEST_F(StatusTest, IsReadyWhenItSchedulesAndCountsWhatItDoes) {
  const auto serve = world_.Serve(WithStatus());
  ASSERT_TRUE(BecomesReady()) << Get("/readyz").body << world_.Log();
  EXPECT_THAT(Get("/readyz").body,
              MatchesRegex("\\[\\+\\] database\n\\[\\+\\] schema\n"
                           "\\[\\+\\] cluster\n\\[\\+\\] replica: .*\n"
                           "\\[\\+\\] loops\n"));
  EXPECT_EQ(Get("/healthz").body, "[+] loops\n");
  EXPECT_TRUE(WaitUntil(
      kPatience,
      [&] {
        return database_.Ask(
                   "SELECT count(*) || ' ' || count(*) FILTER (WHERE name = "
                   "'binder' AND number < 2) FROM replica_loops "
                   "WHERE runs > 0 AND took >= 0 AND lag >= 0") == "18 2";
      }))
      << database_.Ask(
             "SELECT string_agg(l::text, E'\\n') FROM replica_loops l");
  world_.Submit("unmentioned", {.size = 4});
  std::string page;
  EXPECT_TRUE(WaitUntil(kPatience, [&] {
    page = Get("/metrics").body;
    return Figure(page, "fluxnetes_groups_bound_total") == 1 &&
           Figure(page, "fluxnetes_leader{name=\"match:default\"}") == 1;
  })) << page;
  for (const char* name :
       {"fluxnetes_groups_allocated_total{queue=\"default\"}",
        "fluxnetes_group_wait_seconds_count{queue=\"default\"}",
        "fluxnetes_cluster_synced", "fluxnetes_replicas",
        "fluxnetes_ready{check=\"database\"}"})
    EXPECT_EQ(Figure(page, name), 1) << name;
  EXPECT_EQ(Figure(page, "fluxnetes_pods_allocated_total{queue=\"default\"}"),
            4);
  EXPECT_EQ(Figure(page,
                   "fluxnetes_api_requests_total{verb=\"create\","
                   "resource=\"pods/binding\",code=\"201\"}"),
            4);
  for (const char* name :
       {"fluxnetes_pods_recorded_total",
        "fluxnetes_cycle_decision_seconds_count",
        "fluxnetes_cycle_commit_seconds_count",
        "fluxnetes_loop_run_seconds_count{loop=\"match\"}",
        "fluxnetes_loop_last_success_timestamp_seconds{loop=\"binder\"}",
        "fluxnetes_watch_streams_total{kind=\"pods\"}",
        "fluxnetes_watch_lists_total{kind=\"nodes\"}",
        "fluxnetes_database_statements_total{statement=\"COMMIT\"}",
        "fluxnetes_database_statement_seconds_count{pool=\"main\"}",
        "fluxnetes_database_connections_max{pool=\"main\"}",
        "process_resident_memory_bytes"})
    EXPECT_GT(Figure(page, name), 0) << name;
  // Everybody who reaches the port can read the pages.
  EXPECT_THAT(page + Get("/readyz").body, Not(HasSubstr("unmentioned")));
  EXPECT_EQ(Figure(page, "fluxnetes_loop_failures_total{loop=\"match\"}"), 0);
  EXPECT_EQ(Figure(page, "fluxnetes_resync_differences_total{kind=\"pod\"}"),
            0);
}

TEST_F(StatusTest, StatementThatTakesLongIsLoggedAndCountedByName) {
  const auto serve = world_.Serve(WithStatus());
  ASSERT_TRUE(BecomesReady()) << Get("/readyz").body << world_.Log();
  EXPECT_THAT(Get("/metrics").body,
              HasSubstr("\nfluxnetes_database_slow_statements_total{"));
  EXPECT_TRUE(WaitUntil(kPatience, [&] {
    // Everything that reads the queues waits.
    database_.Execute("LOCK TABLE queues; SELECT pg_sleep(2)");
    return std::regex_search(
        world_.Log(),
        std::regex("a database statement took longer than a second.*"
                   "read_[a-z_]+"));
  })) << world_.Log();
  EXPECT_TRUE(WaitUntil(kPatience, [&] {
    return std::regex_search(
        Get("/metrics").body,
        std::regex("slow_statements_total\\{statement=\"read_[a-z_]+\"\\} "
                   "[1-9]"));
  })) << Get("/metrics").body;
}

TEST_F(StatusTest, SlowHeartbeatIsLoggedAndCounted) {
  const auto serve = world_.Serve(WithStatus());
  ASSERT_TRUE(BecomesReady()) << Get("/readyz").body << world_.Log();
  EXPECT_TRUE(WaitUntil(kPatience, [&] {
    database_.Execute("LOCK TABLE clients; SELECT pg_sleep(2)");
    return Figure(Get("/metrics").body,
                  "fluxnetes_database_slow_statements_total"
                  "{statement=\"beat\"}") > 0;
  })) << Get("/metrics").body;
  EXPECT_TRUE(std::regex_search(
      world_.Log(),
      std::regex("a database statement took longer than a second.*\\bbeat\\b")))
      << world_.Log();
}

TEST_F(StatusTest, EachPoolIsCounted) {
  const auto serve = world_.Serve(WithStatus(
      {{"FLUXNETES_GRPC_LISTEN", "unix:" + world_.folder() + "/grpc"}}));
  ASSERT_TRUE(BecomesReady()) << Get("/readyz").body << world_.Log();
  const std::string page = Get("/metrics").body;
  for (const char* pool :
       {"main", "forecast", "probe", "heartbeat", "grpc", "grpc-match", "feed"})
    EXPECT_GT(Figure(page, std::string("fluxnetes_database_connections_max"
                                       "{pool=\"") +
                               pool + "\"}"),
              0)
        << page;
}

TEST_F(StatusTest, SaysWhatIsNotReadyAndLivesAllTheSame) {
  const auto serve = world_.Serve(
      WithStatus({{"FLUXNETES_SCHEMA", database_.schema() + "_none"}}));
  EXPECT_TRUE(WaitUntil(kPatience, [&] {
    return Get("/readyz").body.find("migrate up") != std::string::npos;
  })) << Get("/readyz").body;
  const HttpResponse ready = Get("/readyz");
  EXPECT_EQ(ready.status, 503);
  EXPECT_THAT(ready.body, HasSubstr("[+] database\n[-] schema: "));
  EXPECT_THAT(ready.body, HasSubstr("\n[-] loops: not running\n"));
  EXPECT_EQ(Get("/healthz").status, 200);
  EXPECT_EQ(Figure(Get("/metrics").body, "fluxnetes_ready{check=\"schema\"}"),
            0);
}

TEST_F(StatusTest, IsNotReadyWithoutItsDatabase) {
  const auto serve = world_.Serve(
      WithStatus({{"FLUXNETES_DATABASE", "host=/nowhere dbname=none"}}));
  EXPECT_TRUE(WaitUntil(kPatience, [&] {
    return Get("/readyz").body.find("[-] database: the database cannot") == 0;
  })) << Get("/readyz").body;
  EXPECT_THAT(Get("/readyz").body,
              HasSubstr("[-] schema: not known without the database"));
}

TEST_F(StatusTest, TwoReplicasAreReadyAndEachLeadsSomething) {
  const auto one = world_.Serve(WithStatus());
  ASSERT_TRUE(BecomesReady()) << world_.Log();
  auto beside = WithStatus();
  beside["FLUXNETES_HTTP_LISTEN"] += "2";
  const auto two = world_.Serve(beside);
  HttpClient other({.address = beside["FLUXNETES_HTTP_LISTEN"]});
  EXPECT_TRUE(WaitUntil(kPatience, [&] {
    return other.Send({.path = "/readyz", .once = true}).status == 200;
  })) << world_.Log();
  EXPECT_THAT(other.Send({.path = "/readyz"}).body, HasSubstr("stands by"));
}

TEST_F(StatusTest, SchedulesAlsoWhereTheAddressIsTaken) {
  const auto one = world_.Serve(WithStatus());
  ASSERT_TRUE(BecomesReady()) << world_.Log();
  const auto two = world_.Serve(WithStatus());
  EXPECT_TRUE(world_.WaitForLog("another http.listen is needed"));
  EXPECT_TRUE(WaitUntil(kPatience, [&] {
    return world_.Ask("SELECT count(*) FROM clients") == "2";
  })) << world_.Log();
}

}  // namespace
}  // namespace fluxnetes::services
