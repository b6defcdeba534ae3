#include <thread>

#include "queue/maintenance/upkeep.h"
#include "sql/connection/transaction.h"
#include "sql/error.h"
#include "tests/queue/support/queue_fixture.h"
#include "tests/support/process.h"

namespace fluxnetes::queue {
namespace {

using fluxnetes::testing::WaitUntil;

class UpkeepTest : public QueueTest {
 protected:
  // Inserts and deletes jobs, which leaves dead rows.
  void Churn(int count) {
    InsertMany("q", count);
    database.Execute("DELETE FROM jobs");
  }

  // The statistics are updated a moment after the commit.
  bool SeesDeadRows() {
    return WaitUntil(std::chrono::seconds(60), [&] {
      return database.Ask(
                 "SELECT n_dead_tup >= 1000 FROM pg_stat_user_tables "
                 "WHERE schemaname = current_schema() "
                 "AND relname = 'jobs'") == "t";
    });
  }

  int SizeOf(const std::string& relation) {
    return std::stoi(
        database.Ask("SELECT pg_relation_size('" + relation + "')"));
  }

  Upkeep upkeep{database.pool(), {}};
};

TEST_F(UpkeepTest, DeadRowsAreRemoved) {
  EXPECT_EQ(upkeep.Vacuum(), 0);
  database.Execute("ALTER TABLE jobs SET (autovacuum_enabled = off)");
  Churn(3'000);
  ASSERT_TRUE(SeesDeadRows());
  EXPECT_EQ(upkeep.Vacuum(), 1);
  const int size = SizeOf("jobs");
  InsertMany("q", 1'000);
  EXPECT_EQ(SizeOf("jobs"), size) << "their room is used again";
}

TEST_F(UpkeepTest, WhereAnOldSnapshotIsHeldItIsTriedLessOften) {
  database.Execute("ALTER TABLE jobs SET (autovacuum_enabled = off)");
  sql::Transaction held(database.pool(), sql::Isolation::kRepeatableRead);
  held.RunScript("SELECT count(*) FROM jobs");
  Churn(3'000);
  ASSERT_TRUE(SeesDeadRows());
  int vacuumed = 0;
  for (int i = 0; i < 31; ++i) vacuumed += upkeep.Vacuum();
  EXPECT_GE(vacuumed, 2);
  EXPECT_LE(vacuumed, 6);
}

TEST_F(UpkeepTest, ALockedTableIsPassedOver) {
  database.Execute("ALTER TABLE jobs SET (autovacuum_enabled = off)");
  Churn(3'000);
  ASSERT_TRUE(SeesDeadRows());
  sql::Transaction holder(database.pool());
  holder.RunScript("LOCK TABLE jobs IN SHARE UPDATE EXCLUSIVE MODE");
  upkeep.Vacuum();  // returns
  holder.Commit();
  EXPECT_GE(std::stoi(database.Ask(
                "SELECT n_dead_tup FROM pg_stat_user_tables WHERE schemaname "
                "= current_schema() AND relname = 'jobs'")),
            1'000);
}

TEST_F(UpkeepTest, AnIndexThatOutgrewWhatItHoldsIsWrittenAnew) {
  Churn(20'000);
  InsertMany("q", 10);
  database.Execute("ANALYZE jobs");
  const int before = SizeOf("jobs_lease");
  Upkeep strict(database.pool(), {.index_bytes = 100'000});
  EXPECT_GE(strict.Reindex(), 1);
  EXPECT_LT(SizeOf("jobs_lease"), before / 4);
  EXPECT_EQ(strict.Reindex(), 0);
}

TEST_F(UpkeepTest, AFullIndexIsLeftAlone) {
  InsertMany("q", 20'000);
  database.Execute("ANALYZE jobs");
  EXPECT_GE(SizeOf("jobs_lease"), 100'000);
  Upkeep strict(database.pool(), {.index_bytes = 100'000});
  EXPECT_EQ(strict.Reindex(), 0);
}

TEST_F(UpkeepTest, WhatAnInterruptedReindexLeftIsRemoved) {
  database.Execute("CREATE INDEX jobs_lease_ccnew ON jobs (queue)");
  database.Execute(
      "UPDATE pg_index SET indisvalid = false "
      "WHERE indexrelid = 'jobs_lease_ccnew'::regclass");
  EXPECT_EQ(upkeep.Reindex(), 1);
  EXPECT_EQ(database.Ask("SELECT to_regclass('jobs_lease_ccnew')"), "NULL");
}

TEST_F(UpkeepTest, ALongStatementEndsWhenItIsInterrupted) {
  database.Execute(
      "CREATE INDEX jobs_lease_ccnew ON jobs (queue); UPDATE pg_index SET "
      "indisvalid = false WHERE indexrelid = 'jobs_lease_ccnew'::regclass");
  sql::Transaction holder(database.pool());
  holder.RunScript("SELECT count(*) FROM jobs");
  sql::Interrupt interrupt;
  Upkeep patient(database.pool(), {.lock_timeout = std::chrono::hours(1)},
                 &interrupt);
  std::thread waiting([&] { EXPECT_EQ(patient.Reindex(), 0); });
  EXPECT_TRUE(WaitUntil(std::chrono::seconds(60), [&] {
    return database.Ask(
               "SELECT count(*) FROM pg_stat_activity WHERE "
               "datname = current_database() AND "
               "wait_event_type = 'Lock' AND query LIKE "
               "'DROP INDEX CONCURRENTLY%" +
               database.schema() + ".%'") == "1";
  }));
  interrupt.Trigger();
  waiting.join();
  EXPECT_EQ(patient.Reindex(), 0) << "and all later ones are refused";
}

}  // namespace
}  // namespace fluxnetes::queue
