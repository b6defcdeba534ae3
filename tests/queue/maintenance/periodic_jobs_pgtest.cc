#include <stdexcept>

#include "queue/clients/leadership.h"
#include "queue/maintenance/periodic_jobs.h"
#include "tests/queue/support/queue_fixture.h"

namespace fluxnetes::queue {
namespace {

class PeriodicJobsTest : public QueueTest {
 protected:
  static PeriodicJob Hourly(const std::string& name) {
    return {.name = name, .schedule = "every 1h", .job = JobOf("q", name)};
  }

  void Set(const PeriodicJob& one) { periodic.Set(std::vector{one}); }

  // Moves its next tick back by the interval.
  void LetPass(const std::string& name, const std::string& interval) {
    database.Execute("UPDATE periodic_jobs SET next_at = now() - interval '" +
                     interval + "' WHERE name = '" + name + "'");
  }

  std::string Count() { return database.Ask("SELECT count(*) FROM jobs"); }

  PeriodicJobs periodic{database.pool(), jobs};
};

TEST_F(PeriodicJobsTest, ATickGivesOneJob) {
  Set(Hourly("report"));
  EXPECT_EQ(periodic.RunOnce(), 0);
  LetPass("report", "1 second");
  EXPECT_EQ(periodic.RunOnce(), 1);
  EXPECT_EQ(periodic.RunOnce(), 0);
  EXPECT_EQ(database.Ask("SELECT kind || ' ' || (metadata ->> 'periodic') "
                         "FROM jobs WHERE metadata ? 'tick'"),
            "report report");
  EXPECT_EQ(database.Ask("SELECT last_job_id = (SELECT id FROM jobs) AND "
                         "last_at < now() AND next_at > now() "
                         "FROM periodic_jobs"),
            "t");
}

TEST_F(PeriodicJobsTest, AMissedTickRunsOnce) {
  Set(Hourly("report"));
  LetPass("report", "30 hours");
  EXPECT_EQ(periodic.RunOnce(), 1);
  EXPECT_EQ(periodic.RunOnce(), 0);
  EXPECT_EQ(database.Ask("SELECT next_at > now() AND next_at <= now() + "
                         "interval '1 hour' FROM periodic_jobs"),
            "t");
}

TEST_F(PeriodicJobsTest, TheyOutliveTheProcess) {
  Set(Hourly("report"));
  LetPass("report", "1 second");
  sql::Pool other_pool(database.options());
  WorkQueue other_jobs(other_pool);
  PeriodicJobs other(other_pool, other_jobs);
  EXPECT_EQ(other.RunOnce(), 1);
}

TEST_F(PeriodicJobsTest, SayingItAgainKeepsTheNextTick) {
  Set(Hourly("report"));
  LetPass("report", "1 second");
  PeriodicJob changed = Hourly("report");
  changed.job.priority = 3;
  Set(changed);
  EXPECT_EQ(periodic.RunOnce(), 1);
  EXPECT_EQ(database.Ask("SELECT priority FROM jobs"), "3");
  LetPass("report", "1 second");
  changed.schedule = "0 4 * * *";
  Set(changed);
  EXPECT_EQ(periodic.RunOnce(), 0) << "another schedule, another tick";
}

TEST_F(PeriodicJobsTest, APausedOneWaitsAndMakesUpOnce) {
  Set(Hourly("report"));
  EXPECT_TRUE(periodic.Pause("report"));
  LetPass("report", "5 hours");
  EXPECT_EQ(periodic.RunOnce(), 0);
  EXPECT_TRUE(periodic.List().at(0).paused);
  EXPECT_TRUE(periodic.Resume("report"));
  EXPECT_EQ(periodic.RunOnce(), 1);
  EXPECT_EQ(periodic.RunOnce(), 0);
  EXPECT_FALSE(periodic.Pause("nothing"));
}

TEST_F(PeriodicJobsTest, ARemovedOneGivesNoMoreJobs) {
  Set(Hourly("report"));
  LetPass("report", "1 second");
  EXPECT_TRUE(periodic.Remove("report"));
  EXPECT_FALSE(periodic.Remove("report"));
  EXPECT_EQ(periodic.RunOnce(), 0);
  EXPECT_TRUE(periodic.List().empty());
}

TEST_F(PeriodicJobsTest, AllThatIsSaidOfTheJobIsKept) {
  PeriodicJob one = Hourly("report");
  one.job.args = R"({"a": [1, "ü"]})";
  one.job.tags = {"x", "y z"};
  one.job.metadata = R"({"m": 1})";
  one.job.max_attempts = 3;
  Set(one);
  const PeriodicJobStatus status = periodic.List().at(0);
  EXPECT_EQ(status.periodic.schedule, "every 1h");
  EXPECT_EQ(status.periodic.job.args, one.job.args);
  EXPECT_EQ(status.periodic.job.tags, one.job.tags);
  EXPECT_EQ(status.periodic.job.max_attempts, 3);
  EXPECT_FALSE(status.last_at.has_value());
  LetPass("report", "1 second");
  periodic.RunOnce();
  EXPECT_EQ(database.Ask("SELECT concat_ws('|', args, tags, metadata -> 'm', "
                         "max_attempts) FROM jobs"),
            R"({"a": [1, "ü"]}|{x,"y z"}|1|3)");
}

TEST_F(PeriodicJobsTest, WhatCannotBeIsRefusedAndChangesNothing) {
  const std::vector<PeriodicJob> some = {
      Hourly("good"),
      {.name = "bad", .schedule = "every day", .job = JobOf("q")}};
  EXPECT_THROW(periodic.Set(some), std::invalid_argument);
  EXPECT_TRUE(periodic.List().empty());
  PeriodicJob timed = Hourly("timed");
  timed.job.scheduled_at = sql::Timestamp{};
  EXPECT_THROW(Set(timed), std::invalid_argument);
  EXPECT_THROW(Set(Hourly("")), std::invalid_argument);
}

TEST_F(PeriodicJobsTest, AScheduleThatSomebodyBrokeHoldsUpNoOther) {
  Set(Hourly("broken"));
  Set(Hourly("whole"));
  LetPass("broken", "2 seconds");
  LetPass("whole", "1 second");
  database.Execute(
      "UPDATE periodic_jobs SET schedule = 'x' WHERE name = 'broken'");
  EXPECT_EQ(periodic.RunOnce(), 1);
  EXPECT_NE(periodic.List().at(0).problem, "");
  EXPECT_EQ(periodic.RunOnce(), 0);
  Set(Hourly("broken"));
  EXPECT_EQ(periodic.List().at(0).problem, "");
  LetPass("broken", "1 second");
  EXPECT_EQ(periodic.RunOnce(), 1);
}

TEST_F(PeriodicJobsTest, OneWhoNoLongerLeadsInsertsNothing) {
  Set(Hourly("report"));
  LetPass("report", "1 second");
  const auto client = NewClient();
  Leadership leadership(database.pool(), *client, "maintenance");
  const auto term = leadership.TryAcquire();
  const auto fence = [&](sql::Transaction& transaction) {
    leadership.Check(transaction, *term);
  };
  Kill(*client);
  const auto next_client = NewClient();
  Leadership next(database.pool(), *next_client, "maintenance");
  ASSERT_TRUE(next.TryAcquire().has_value());
  EXPECT_THROW(periodic.RunOnce(fence), LostTerm);
  EXPECT_EQ(Count(), "0");
}

}  // namespace
}  // namespace fluxnetes::queue
