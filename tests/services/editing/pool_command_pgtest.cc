// Tests of `fluxnetes pools` and `fluxnetes pool`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/services/support/command_database.h"

namespace fluxnetes::services {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

class PoolCommand : public CommandDatabase {
 protected:
  std::string Column(const std::string& column) {
    return database_.Ask("SELECT " + column + " FROM pools");
  }
  void Succeed(const std::string& arguments) {
    EXPECT_EQ(run_(arguments), ExitCode::kOk) << arguments << run_.err();
  }
  void Hold() {
    database_.Execute(
        "INSERT INTO pod_groups (id, namespace, group_name, group_size, queue, "
        "priority, shape, submitted_at, promoted_at, state, phase) VALUES "
        "(7, 'a', 'train', 1, 'default', 0, 0, now(), now(), 'allocated', "
        "NULL);"
        "UPDATE pod_groups SET pools = '{\"matlab\": 4}' WHERE id = 7;"
        "INSERT INTO allocations (fluxion_job, group_id, queue, nodes, "
        "starts_at, term, pools) VALUES (7, 7, 'default', '{n}', now(), 1, "
        "'{\"matlab\": 4}');"
        "INSERT INTO placements (fluxion_job, pod_uid, node_name, cpu_milli, "
        "memory_bytes) VALUES (7, 'u', 'n', 1, 1)");
  }
};

TEST_F(PoolCommand, PoolsAreMadeChangedAndDeleted) {
  Succeed("pool set matlab --total 10 --description floating");
  EXPECT_EQ(run_.out(), "pool/matlab created\n");
  EXPECT_EQ(Column("total"), "10");
  EXPECT_EQ(Column("description"), "floating");
  Succeed("pool set matlab --total 12");
  EXPECT_EQ(run_.out(), "pool/matlab changed\n");
  EXPECT_EQ(Column("total"), "12");
  EXPECT_EQ(Column("description"), "floating");
  EXPECT_EQ(database_.Ask("SELECT verb || ' ' || object || ' ' || detail FROM "
                          "audit ORDER BY id DESC LIMIT 1"),
            "set pool/matlab total=12");
  Succeed("pool delete matlab");
  EXPECT_EQ(run_("pool delete matlab"), ExitCode::kNotFound);
  EXPECT_EQ(Column("count(*)"), "0");
}

TEST_F(PoolCommand, SchedulerIsToldAtOnce) {
  Succeed("pool set matlab --total 10");
  EXPECT_GE(std::stoi(database_.Ask(
                "SELECT count(*) FROM match_inbox WHERE news = 'pools'")),
            1);
}

TEST_F(PoolCommand, ListSaysWhoHoldsWhat) {
  Succeed("pools");
  EXPECT_THAT(run_.err(), HasSubstr("No pools found. (`fluxnetes pool set NAME "
                                    "--total N` makes one.)"));
  Succeed("pool set matlab --total 10");
  Hold();
  Succeed("pools");
  EXPECT_THAT(run_.out(), AllOf(HasSubstr("NAME"), HasSubstr("matlab"),
                                HasSubstr("a/train 4")));
  Succeed("pools -o json");
  const json pool = json::parse(run_.out())["items"][0];
  EXPECT_EQ(pool["total"], 10);
  EXPECT_EQ(pool["held"], 4);
  EXPECT_EQ(pool["free"], 6);
  EXPECT_EQ(pool["holders"][0]["group"], "a/train");
  EXPECT_EQ(pool["holders"][0]["kind"], "held");
  EXPECT_TRUE(pool["holders"][0]["endsAt"].is_null());
}

TEST_F(PoolCommand, GetListsThemLikeAllElse) {
  Succeed("pool set matlab --total 10");
  Succeed("pool set disk --total 1 --description fast");
  Succeed("get pools");
  const std::string listed = run_.out();
  EXPECT_THAT(listed, AllOf(HasSubstr("disk"), HasSubstr("fast")));
  Succeed("pools");
  EXPECT_EQ(run_.out(), listed);
  Succeed("get pools -o name");
  EXPECT_EQ(run_.out(), "disk\nmatlab\n");
  Succeed("get pool matlab -o name");
  EXPECT_EQ(run_.out(), "matlab\n");
  EXPECT_EQ(run_("get pools nowhere"), ExitCode::kNotFound);
  EXPECT_THAT(run_.err(), HasSubstr("no pools named \"nowhere\""));
}

TEST_F(PoolCommand, WatchShowsWhatChanges) {
  Succeed("pool set matlab --total 10");
  int waits = 0;
  run_.OnWait([&] {
    if (++waits == 1) {
      database_.Execute("UPDATE pools SET total = 12");
      return false;
    }
    return waits > 500;  // the user ends it
  });
  run_("get pools --watch");
  EXPECT_THAT(run_.out(), AllOf(HasSubstr("10"), HasSubstr("12")));
}

TEST_F(PoolCommand, GroupsTheirTimesAndTheirHistoryNameThem) {
  Succeed("pool set matlab --total 10");
  Hold();
  Succeed("get groups -A");
  EXPECT_EQ(run_.out().find("POOLS"), std::string::npos);
  Succeed("get groups -A -o wide");
  EXPECT_THAT(run_.out(), AllOf(HasSubstr("POOLS"), HasSubstr("4 of matlab")));
  Succeed("get groups -A -o json");
  EXPECT_EQ(json::parse(run_.out())["items"][0]["pools"],
            (json{{"matlab", 4}}));
  Succeed("describe group a/train");
  EXPECT_THAT(run_.out(), HasSubstr("4 of matlab"));
  Succeed("timeline -o json");
  EXPECT_EQ(json::parse(run_.out())["groups"][0]["pools"],
            (json{{"matlab", 4}}));
  database_.Execute(
      "INSERT INTO group_history (group_id, namespace, group_name, group_size, "
      "queue, priority, result, pools, submitted_at, ended_at) VALUES (5, 'a', "
      "'over', 1, 'default', 0, 'succeeded', '{\"disk\": 2}', now(), now())");
  Succeed("history -A -o wide");
  EXPECT_THAT(run_.out(), AllOf(HasSubstr("POOLS"), HasSubstr("2 of disk")));
  Succeed("describe group a/over");
  EXPECT_THAT(run_.out(), HasSubstr("2 of disk"));
}

TEST_F(PoolCommand, WhatIsHeldIsNotDeletedButMayBeLowered) {
  Succeed("pool set matlab --total 10");
  Hold();
  EXPECT_EQ(run_("pool delete matlab"), ExitCode::kFailed);
  EXPECT_THAT(run_.err(), AllOf(HasSubstr("held or reserved by 1 group"),
                                HasSubstr("pool set matlab --total 0")));
  Succeed("pool set matlab --total 0");
  EXPECT_EQ(database_.Ask("SELECT held || ' ' || free FROM pool_use"), "4 0");
}

TEST_F(PoolCommand, FaultsAreExplained) {
  EXPECT_EQ(run_("pool set bad/name --total 1"), ExitCode::kUsage);
  EXPECT_THAT(run_.err(), HasSubstr("cannot be the name of a pool"));
  EXPECT_EQ(run_("pool set matlab"), ExitCode::kUsage);
  EXPECT_EQ(run_("pool set matlab --total -1"), ExitCode::kUsage);
  EXPECT_EQ(run_("pool set matlab --total 9999999999999999"), ExitCode::kUsage);
  EXPECT_THAT(run_.err(), HasSubstr("a whole number from 0 to"));
}

}  // namespace
}  // namespace fluxnetes::services
