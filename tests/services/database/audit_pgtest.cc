// Tests of the rows that commands write into `audit`; for gRPC see
// grpc_scheduler_pgtest.cc and fluence_services_pgtest.cc.
#include <gtest/gtest.h>

#include "services/database/audit.h"
#include "tests/services/support/command_database.h"

namespace fluxnetes::services {
namespace {

class Audit : public CommandDatabase {
 protected:
  void Succeed(const std::string& command,
               const std::vector<std::string>& more = {}) {
    EXPECT_EQ(run_(command, more), ExitCode::kOk) << run_.err();
  }

  // Returns "VERB OBJECT DETAIL" of each row; checks that all are by this user
  // from the command line.
  std::string Rows() {
    EXPECT_EQ(database_.Ask("SELECT count(*) FROM audit WHERE role <> "
                            "'operator' OR via <> 'cli' OR outcome IS NOT NULL "
                            "OR caller <> '" +
                            ProcessActor().name + "'"),
              "0");
    return database_.Ask(
        "SELECT coalesce(string_agg(concat_ws(' ', verb, object, detail),"
        " E'\\n' ORDER BY id), '') FROM audit");
  }
};

TEST_F(Audit, ChangesOfGroupsAreKept) {
  AddExampleGroups();
  Succeed("hold group a/first --reason", {"no data"});
  Succeed("release group a/first");
  Succeed("cancel group a/first");
  EXPECT_EQ(
      Rows(),
      "hold group/a/first no data\n"
      "release group/a/first\n"
      "cancel group/a/first " +
          database_.Ask("SELECT cancel_reason FROM pod_groups WHERE id = 2"));
}

TEST_F(Audit, ChangesOfQueuesAreKept) {
  Succeed("queue create night queue_policy=fcfs");
  Succeed("queue set night queue_policy=easy queue_depth=7");
  Succeed("queue pause night");
  Succeed("queue resume night");
  Succeed("queue delete night");
  EXPECT_EQ(Rows(),
            "create queue/night queue_policy=fcfs\n"
            "set queue/night queue_policy=easy queue_depth=7\n"
            "pause queue/night\n"
            "resume queue/night\n"
            "delete queue/night");
}

TEST_F(Audit, ChangesOfAccountsAreKept) {
  Succeed("account create physics namespace=a");
  Succeed("account set physics weight=2 borrows=false");
  Succeed("account delete physics");
  EXPECT_EQ(Rows(),
            "create account/physics namespace=a\n"
            "set account/physics weight=2 borrows=false\n"
            "delete account/physics");
}

TEST_F(Audit, ChangesOfJobsAreKeptOfEachJob) {
  database_.Execute(
      "INSERT INTO clients (name) VALUES ('worker');"
      "INSERT INTO jobs (kind, queue, state, attempt, client_id, errors, tags,"
      "  scheduled_at) VALUES"
      " ('bind', 'bind', 'retryable', 1, NULL, '[]', '{red}', now()),"
      " ('bind', 'bind', 'running', 1, (SELECT id FROM clients), '[]', '{}',"
      "  now()), ('bind', 'bind', 'pending', 0, NULL, '[]', '{red}', now())");
  Succeed("jobs retry --tag red");
  EXPECT_EQ(run_("jobs delete 1 2 77"), ExitCode::kNotFound);
  Succeed("jobs cancel 2");
  EXPECT_EQ(Rows(), "retry job/1\nretry job/3\ndelete job/1\ncancel job/2");
}

TEST_F(Audit, MaintenanceIsKeptOfEachNode) {
  AddExampleGroups();
  Succeed("drain node n2 n1 --from 2099-01-31T12:00:00Z --reason",
          {"new disks"});
  Succeed("drain zone=z1 --from 2099-01-31T12:00:00Z");
  Succeed("undrain n1");
  EXPECT_EQ(run_("undrain n1 n2"), ExitCode::kNotFound);
  Succeed("undrain --id 2");
  EXPECT_EQ(
      Rows(),
      "drain node/n1 maintenance/1 from 2099-01-31 12:00:00 UTC until it is "
      "undone: new disks\n"
      "drain node/n2 maintenance/1 from 2099-01-31 12:00:00 UTC until it is "
      "undone: new disks\n"
      "drain nodes/topology.kubernetes.io/zone=z1 maintenance/2 from "
      "2099-01-31 12:00:00 UTC until it is undone\n"
      "undrain node/n1\n"
      "undrain node/n2\n"
      "undrain maintenance/2");
}

TEST_F(Audit, WhatChangedNothingLeavesNoRow) {
  AddExampleGroups();
  EXPECT_NE(run_("cancel group a/nobody"), ExitCode::kOk);
  EXPECT_NE(run_("hold group a/runs"), ExitCode::kOk);
  EXPECT_NE(run_("queue set default queue_policy=wrong"), ExitCode::kOk);
  EXPECT_NE(run_("account set nobody weight=2"), ExitCode::kOk);
  EXPECT_NE(run_("account create a parent=nobody"), ExitCode::kOk);
  EXPECT_NE(run_("jobs cancel 77"), ExitCode::kOk);
  EXPECT_NE(run_("undrain n1"), ExitCode::kOk);
  EXPECT_EQ(Rows(), "");
}

// The row is in the transaction of the change: without the row no change.
TEST_F(Audit, WhatCannotBeKeptIsNotDone) {
  AddExampleGroups();
  Succeed("account create physics namespace=a");
  database_.Execute(
      "INSERT INTO jobs (kind, queue, state, attempt, errors, tags,"
      "  scheduled_at) VALUES ('bind', 'bind', 'pending', 0, '[]', '{}',"
      "  now());"
      "DELETE FROM audit; ALTER TABLE audit ADD CHECK (verb = '')");
  for (const char* command :
       {"account set physics weight=2", "jobs cancel 1", "drain n1",
        "queue pause default", "hold group a/first", "cancel group a/first"})
    EXPECT_EQ(run_(command), ExitCode::kFailed) << command;
  EXPECT_EQ(database_.Ask("SELECT weight FROM accounts"), "1");
  EXPECT_EQ(database_.Ask("SELECT state FROM jobs"), "pending");
  EXPECT_EQ(database_.Ask("SELECT count(*) FROM maintenance"), "0");
  EXPECT_EQ(database_.Ask("SELECT paused FROM queues"), "f");
  EXPECT_EQ(database_.Ask("SELECT phase, cancel_reason FROM pod_groups WHERE "
                          "id = 2"),
            "reserved");
}

}  // namespace
}  // namespace fluxnetes::services
