#include "queue/maintenance/retention.h"
#include "tests/queue/support/queue_fixture.h"

namespace fluxnetes::queue {
namespace {

class RetentionTest : public QueueTest {
 protected:
  // Makes a partition of `days` days ago, with one job in it.
  void MakeOld(int days) {
    const std::string day =
        "(now() AT TIME ZONE 'UTC')::date - " + std::to_string(days);
    database.Execute(
        "DO $$ DECLARE day date := " + day +
        "; BEGIN "
        "EXECUTE format('CREATE TABLE jobs_finished_completed_%s PARTITION OF "
        "jobs_finished_completed FOR VALUES FROM (%L) TO (%L)', to_char(day, "
        "'YYYYMMDD'), day::timestamp AT TIME ZONE 'UTC', "
        "(day + 1)::timestamp AT TIME ZONE 'UTC'); "
        "INSERT INTO jobs_finished (id, kind, queue, priority, state, attempt, "
        "max_attempts, created_at, scheduled_at, finalized_at, args, errors, "
        "tags, metadata) VALUES (1, 'k', 'q', 1, 'completed', 1, 1, now(), "
        "now(), day::timestamp AT TIME ZONE 'UTC' + interval '1 hour', '{}', "
        "'[]', '{}', '{}'); END $$");
  }

  std::string Partitions() {
    return database.Ask(
        "SELECT count(*) FROM pg_class WHERE relname ~ "
        "'^jobs_finished_completed_[0-9]+$'"
        " AND relnamespace = current_schema()::regnamespace AND relkind = 'r'");
  }

  // Waits for locks that are released soon, such as those of a closing session.
  Retention Patient() {
    options.lock_timeout = std::chrono::seconds(60);
    return Retention(database.pool(), options);
  }

  RetentionOptions options{.tables = {{"jobs_finished_completed", 7}},
                           .lock_timeout = std::chrono::milliseconds(50)};
};

TEST_F(RetentionTest, PartitionsAreMadeAhead) {
  EXPECT_EQ(Partitions(), "8");
  options.ahead_days = 10;
  Retention retention(database.pool(), options);
  EXPECT_EQ(retention.RunOnce().made, 3);
  EXPECT_EQ(retention.RunOnce().made, 0);
  EXPECT_EQ(Partitions(), "11");
  EXPECT_EQ(database.Ask("SELECT count(*) FROM pg_inherits WHERE inhparent = "
                         "'jobs_finished_completed_id_idx'::regclass"),
            "11");
}

TEST_F(RetentionTest, OnlyWhatIsOldEnoughIsDropped) {
  MakeOld(7);
  MakeOld(8);
  MakeOld(40);
  EXPECT_EQ(Patient().RunOnce().dropped, 2);
  EXPECT_EQ(Partitions(), "9");
  EXPECT_EQ(database.Ask("SELECT count(*) FROM jobs_finished"), "1");
}

TEST_F(RetentionTest, AForgottenTransactionDelaysItAndNobodyElse) {
  MakeOld(40);
  Retention retention(database.pool(), options);
  {
    sql::Transaction forgotten(database.pool());
    forgotten.RunScript("SELECT count(*) FROM jobs_finished");
    const auto outcome = retention.RunOnce();
    EXPECT_EQ(outcome.dropped, 0);
    EXPECT_EQ(outcome.delayed, 1);
    InsertOne(JobOf("q"));
    const auto client = NewClient();
    EXPECT_TRUE(FinishOne(LeaseOne(*client), Outcome::kCompleted));
  }
  EXPECT_EQ(Patient().RunOnce().dropped, 1);
  EXPECT_EQ(Partitions(), "8");
}

TEST_F(RetentionTest, AForgottenTransactionDelaysAllPartitionsOfItsTable) {
  MakeOld(40);
  MakeOld(41);
  options.tables = {{"jobs_finished_completed", 7}, {"group_history", 7}};
  options.ahead_days = 8;
  Retention retention(database.pool(), options);
  {
    sql::Transaction forgotten(database.pool());
    forgotten.RunScript("SELECT count(*) FROM jobs_finished");
    for (int time = 0; time < 2; ++time) {
      const auto outcome = retention.RunOnce();
      EXPECT_EQ(outcome.delayed, 2);
      EXPECT_EQ(outcome.made, time == 0 ? 2 : 0);
    }
  }
  EXPECT_EQ(Patient().RunOnce().dropped, 2);
}

TEST_F(RetentionTest, PartitionsAreMadeBesideAForgottenTransaction) {
  options.ahead_days = 9;
  sql::Transaction forgotten(database.pool());
  forgotten.RunScript("SELECT count(*) FROM jobs_finished");
  EXPECT_EQ(Retention(database.pool(), options).RunOnce().made, 2);
}

TEST_F(RetentionTest, OtherTablesAreNamed) {
  options.tables = {{"jobs_finished_completed", 7}, {"group_history", 7}};
  options.ahead_days = 8;
  EXPECT_EQ(Retention(database.pool(), options).RunOnce().made, 2);
}

}  // namespace
}  // namespace fluxnetes::queue
