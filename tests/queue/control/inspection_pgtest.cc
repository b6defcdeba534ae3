#include "queue/control/inspection.h"
#include "sql/connection/transaction.h"
#include "tests/queue/support/queue_fixture.h"

namespace fluxnetes::queue {
namespace {

class InspectionTest : public QueueTest {
 protected:
  std::vector<std::int64_t> List(const JobFilter& filter) {
    sql::Transaction transaction(database.pool(), sql::Isolation::kReadOnly);
    std::vector<std::int64_t> ids;
    for (const JobRow& job : ListJobs(transaction, filter))
      ids.push_back(job.id);
    return ids;
  }

  JobRow Find(std::int64_t id) {
    sql::Transaction transaction(database.pool(), sql::Isolation::kReadOnly);
    return FindJobs(transaction, std::vector{id}).at(0);
  }

  // A queue without jobs.
  void PauseIdle() {
    InsertOne(JobOf("idle"));
    jobs.Pause("idle");
    database.Execute("DELETE FROM jobs WHERE queue = 'idle'");
  }

  std::vector<QueueStats> Stats() {
    sql::Transaction transaction(database.pool(), sql::Isolation::kReadOnly);
    return ReadStats(transaction, std::chrono::minutes(5));
  }
};

using Ids = std::vector<std::int64_t>;

TEST_F(InspectionTest, JobsAreListedByFilters) {
  NewJob tagged = JobOf("b", "other");
  tagged.tags = {"red", "blue"};
  const auto first = InsertOne(JobOf("a"));
  const auto second = InsertOne(tagged);
  const auto third = InsertOne(JobOf("a", "other"));
  EXPECT_EQ(List({}), (Ids{first, second, third}));
  EXPECT_EQ(List({.queue = "a"}), (Ids{first, third}));
  EXPECT_EQ(List({.kind = "other"}), (Ids{second, third}));
  EXPECT_EQ(List({.queue = "a", .kind = "other"}), Ids{third});
  EXPECT_EQ(List({.tag = "blue"}), Ids{second});
  EXPECT_EQ(List({.states = {"running", "retryable"}}), Ids{});
  EXPECT_EQ(List({.after = first, .limit = 1}), Ids{second});
}

TEST_F(InspectionTest, FinishedJobsAreListedAsFarBackAsIsAsked) {
  InsertMany("q", 2);
  const auto client = NewClient();
  const Job job = LeaseOne(*client);
  FinishOne(job, Outcome::kCompleted);
  EXPECT_EQ(List({}).size(), 1u);
  EXPECT_EQ(List({.finished_since = sql::Timestamp{}}).size(), 2u);
  EXPECT_EQ(List({.states = {"completed"}, .finished_since = sql::Timestamp{}}),
            Ids{job.id});
}

TEST_F(InspectionTest, AJobIsFoundWhereverItIs) {
  NewJob full = JobOf("q");
  full.args = R"({"a": "ü"})";
  full.tags = {"t"};
  full.metadata = R"({"m": 1})";
  const auto id = InsertOne(full);
  const auto client = NewClient();
  const Job job = LeaseOne(*client);
  JobRow row = Find(id);
  EXPECT_EQ(row.state, "running");
  EXPECT_EQ(row.client_id, client->id());
  EXPECT_TRUE(row.client.has_value());
  EXPECT_FALSE(row.finalized_at.has_value());
  FinishOne(job, Outcome::kDiscarded, "no use");
  row = Find(id);
  EXPECT_EQ(row.state, "discarded");
  EXPECT_TRUE(row.finalized_at.has_value());
  EXPECT_EQ(row.args, full.args);
  EXPECT_EQ(row.metadata, full.metadata);
  EXPECT_EQ(row.tags, full.tags);
  EXPECT_NE(row.errors.find("no use"), std::string::npos);
  sql::Transaction transaction(database.pool());
  EXPECT_TRUE(FindJobs(transaction, Ids{id + 1'000}).empty());
}

TEST_F(InspectionTest, StatsCountWhatWaitsRunsAndEnds) {
  InsertMany("q", 6);
  const auto client = NewClient();
  FinishOne(LeaseOne(*client), Outcome::kCompleted);
  FinishOne(LeaseOne(*client), Outcome::kCancelled);
  FinishOne(LeaseOne(*client), Outcome::kFailed, "no");
  LeaseOne(*client);
  PauseIdle();
  database.Execute(
      "UPDATE jobs SET scheduled_at = now() - interval '1 hour' "
      "WHERE state = 'available'");
  const auto stats = Stats();
  ASSERT_EQ(stats.size(), 2u);
  EXPECT_EQ(stats[0].queue, "idle");
  EXPECT_TRUE(stats[0].paused);
  EXPECT_FALSE(stats[0].oldest_available.has_value());
  EXPECT_FALSE(stats[0].wait.has_value());
  const QueueStats& q = stats[1];
  EXPECT_EQ(q.available, 2);
  EXPECT_EQ(q.running, 1);
  EXPECT_EQ(q.retryable, 1);
  EXPECT_EQ(q.completed, 1);
  EXPECT_EQ(q.cancelled, 1);
  EXPECT_EQ(q.discarded, 0);
  EXPECT_DOUBLE_EQ(q.per_second, 2.0 / 300);
  EXPECT_GE(q.oldest_available->count(), 3'600);
  ASSERT_TRUE(q.wait.has_value());
  EXPECT_GE(q.wait->p99, q.wait->p50);
  EXPECT_GE(q.run->p50.count(), 0);
}

TEST_F(InspectionTest, WhatEndedBeforeTheWindowCountsForNothing) {
  InsertMany("q", 1);
  const auto client = NewClient();
  FinishOne(LeaseOne(*client), Outcome::kCompleted);
  database.Execute(
      "UPDATE jobs_finished SET finalized_at = now() + interval '1 day'");
  ASSERT_EQ(Stats().size(), 1u);
  database.Execute(
      "UPDATE jobs_finished SET finalized_at = now() - interval '6 minutes' "
      "WHERE (now() - interval '6 minutes')::date = now()::date");
  if (database.Ask("SELECT finalized_at < now() FROM jobs_finished") != "t")
    GTEST_SKIP() << "just after midnight there is no partition for it";
  EXPECT_TRUE(Stats().empty());
}

TEST_F(InspectionTest, ViewsSayTheSame) {
  InsertMany("q", 3);
  const auto client = NewClient();
  FinishOne(LeaseOne(*client), Outcome::kFailed, "broken",
            std::chrono::hours(1));
  LeaseOne(*client);
  PauseIdle();
  EXPECT_EQ(database.AskAll("SELECT queue, paused, available, retryable, "
                            "running, oldest_available IS NULL "
                            "FROM job_queue_summary ORDER BY queue"),
            "idle|t|0|0|0|t\nq|f|1|1|1|f");
  EXPECT_EQ(database.AskAll("SELECT client_id, client_alive FROM running_jobs"),
            std::to_string(client->id()) + "|t");
  EXPECT_EQ(database.AskAll("SELECT state, error, next_at > now() "
                            "FROM failed_jobs"),
            "retryable|broken|t");
  Kill(*client);
  EXPECT_EQ(database.Ask("SELECT client_alive FROM running_jobs"), "f");
}

}  // namespace
}  // namespace fluxnetes::queue
