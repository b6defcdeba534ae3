#include <set>
#include <thread>

#include "queue/maintenance/upkeep.h"
#include "sql/mutex.h"
#include "tests/queue/support/queue_fixture.h"

namespace fluxnetes::queue {
namespace {

using std::chrono::seconds;

class UniqueTest : public QueueTest {
 protected:
  static NewJob UniqueJob(const std::string& args, Unique unique) {
    NewJob job = JobOf("q");
    job.args = args;
    job.unique = std::move(unique);
    return job;
  }

  Inserted Put(const NewJob& job) { return jobs.Insert(std::vector{job})[0]; }

  // Whether two jobs are duplicates under `unique`.
  bool AreSame(const char* one, const char* two, const Unique& unique) {
    database.Execute("DELETE FROM jobs; DELETE FROM unique_keys");
    Put(UniqueJob(one, unique));
    return Put(UniqueJob(two, unique)).duplicate;
  }

  std::string CountJobs() { return database.Ask("SELECT count(*) FROM jobs"); }
};

TEST_F(UniqueTest, TheSecondInsertReturnsTheFirstId) {
  const NewJob job = UniqueJob("{}", {});
  const Inserted first = Put(job);
  EXPECT_FALSE(first.duplicate);
  EXPECT_EQ(Put(job), (Inserted{first.id, true}));
  EXPECT_EQ(CountJobs(), "1");
}

TEST_F(UniqueTest, JobsWithoutTheOptionAndOtherKindsAreOthers) {
  NewJob job = UniqueJob("{}", {});
  Put(job);
  EXPECT_FALSE(Put(JobOf("q")).duplicate);
  job.kind = "another";
  EXPECT_FALSE(Put(job).duplicate);
  EXPECT_EQ(CountJobs(), "3");
}

TEST_F(UniqueTest, TheOrderOfKeysInJsonDoesNotMatter) {
  const Unique by_args{.by_args = true};
  EXPECT_TRUE(AreSame(R"({"a": 1, "b": {"c": 2, "d": 3}})",
                      R"({"b":{"d":3,"c":2},"a":1})", by_args));
  EXPECT_FALSE(AreSame(R"({"a": 1})", R"({"a": 2})", by_args));
  EXPECT_FALSE(AreSame(R"({"a": 1})", R"({"a": 1, "b": 1})", by_args));
}

TEST_F(UniqueTest, WithoutArgsTheyAreNotCompared) {
  EXPECT_TRUE(AreSame(R"({"a": 1})", R"({"a": 2})", {}));
}

TEST_F(UniqueTest, NamedKeysOfArgsAreComparedAlone) {
  const Unique by_key{.by_keys = {"a", "b"}};
  EXPECT_TRUE(AreSame(R"({"a": 1, "z": 1})", R"({"a": 1, "z": 2})", by_key));
  EXPECT_FALSE(AreSame(R"({"a": 1})", R"({"a": 1, "b": 2})", by_key));
  EXPECT_FALSE(AreSame(R"({"a": 1})", R"({"a": 1, "b": null})", by_key));
  EXPECT_TRUE(AreSame(R"({"z": 1})", "{}", by_key));
  EXPECT_FALSE(AreSame(R"({"a": "1\"],{"})", R"({"a": "1"})", by_key));
}

TEST_F(UniqueTest, ByQueueTheSameJobMayBeInTwo) {
  NewJob job = UniqueJob("{}", {.by_queue = true});
  Put(job);
  EXPECT_TRUE(Put(job).duplicate);
  job.queue = "other";
  EXPECT_FALSE(Put(job).duplicate);
  job.unique->by_queue = false;
  EXPECT_FALSE(Put(job).duplicate);
  job.queue = "third";
  EXPECT_TRUE(Put(job).duplicate);
}

TEST_F(UniqueTest, ByPeriodTheEdgesPart) {
  NewJob job = UniqueJob("{}", {.by_period = seconds(60)});
  const auto minute = sql::Timestamp(std::chrono::sys_days(
      std::chrono::year(2100) / std::chrono::January / 1));
  job.scheduled_at = minute;
  const Inserted first = Put(job);
  job.scheduled_at = minute + seconds(60) - std::chrono::microseconds(1);
  EXPECT_EQ(Put(job), (Inserted{first.id, true}));
  job.scheduled_at = minute + seconds(60);
  EXPECT_FALSE(Put(job).duplicate);
  job.scheduled_at = minute - std::chrono::microseconds(1);
  EXPECT_FALSE(Put(job).duplicate);
  job.scheduled_at = minute;
  job.unique->by_period = seconds(3'600);
  EXPECT_FALSE(Put(job).duplicate);
}

TEST_F(UniqueTest, AKeyIsFreedWhenTheStateLeavesTheSet) {
  const NewJob job =
      UniqueJob("{}", {.states = {JobState::kAvailable, JobState::kRetryable}});
  const auto client = NewClient();
  const Inserted first = Put(job);
  const Job leased = LeaseOne(*client);
  const Inserted second = Put(job);
  EXPECT_FALSE(second.duplicate);
  EXPECT_TRUE(FinishOne(leased, Outcome::kFailed, "no"));
  EXPECT_EQ(StateOf(first.id), "retryable");
  EXPECT_EQ(Put(job), (Inserted{second.id, true}));
}

TEST_F(UniqueTest, ByDefaultACompletedJobKeepsItsKeyAndACancelledOneDoesNot) {
  const NewJob job = UniqueJob("{}", {});
  const auto client = NewClient();
  const Inserted first = Put(job);
  FinishOne(LeaseOne(*client), Outcome::kCompleted);
  EXPECT_EQ(Put(job), (Inserted{first.id, true}));

  const NewJob other = UniqueJob("{}", {.by_queue = true});
  Put(other);
  FinishOne(LeaseOne(*client), Outcome::kCancelled);
  EXPECT_FALSE(Put(other).duplicate);
}

TEST_F(UniqueTest, OverOtherStatesItIsAnotherJob) {
  Put(UniqueJob("{}", {}));
  EXPECT_FALSE(
      Put(UniqueJob("{}", {.states = {JobState::kAvailable}})).duplicate);
  EXPECT_TRUE(Put(UniqueJob("{}", {.states = {JobState::kAvailable,
                                              JobState::kAvailable}}))
                  .duplicate);
}

TEST_F(UniqueTest, ABatchKnowsItsOwnJobsAndThoseThatAreThere) {
  const Unique by_args{.by_args = true};
  const Inserted there = Put(UniqueJob(R"({"n": 0})", by_args));
  const auto inserted = jobs.Insert(std::vector{
      UniqueJob(R"({"n": 1})", by_args), UniqueJob(R"({"n": 0})", by_args),
      JobOf("q"), UniqueJob(R"({"n": 1})", by_args),
      UniqueJob(R"({"n": 2})", by_args)});
  ASSERT_EQ(inserted.size(), 5u);
  EXPECT_FALSE(inserted[0].duplicate);
  EXPECT_EQ(inserted[1], (Inserted{there.id, true}));
  EXPECT_FALSE(inserted[2].duplicate);
  EXPECT_EQ(inserted[3], (Inserted{inserted[0].id, true}));
  EXPECT_FALSE(inserted[4].duplicate);
  EXPECT_LT(inserted[0].id, inserted[2].id);
  EXPECT_LT(inserted[2].id, inserted[4].id);
  EXPECT_EQ(CountJobs(), "4");
}

TEST_F(UniqueTest, ARollbackFreesTheKey) {
  const NewJob job = UniqueJob("{}", {});
  {
    sql::Transaction transaction(database.pool());
    jobs.Insert(transaction, std::vector{job});
  }
  EXPECT_FALSE(Put(job).duplicate);
}

TEST_F(UniqueTest, SixteenSessionsAtOnceMakeExactlyOne) {
  sql::PoolOptions options = database.options();
  options.max_connections = 16;
  sql::Pool pool(options);
  WorkQueue shared(pool);
  const Unique by_args{.by_args = true};
  // Two orders that would deadlock two sessions if keys were not sorted.
  std::vector<NewJob> forward;
  for (int i = 0; i < 10; ++i)
    forward.push_back(UniqueJob("{\"n\": " + std::to_string(i) + "}", by_args));
  const std::vector<NewJob> backward(forward.rbegin(), forward.rend());
  sql::Mutex mutex;
  std::set<std::int64_t> ids;
  int fresh = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i)
    threads.emplace_back([&, i] {
      for (const Inserted& job :
           shared.Insert(i % 2 == 0 ? forward : backward)) {
        const sql::MutexLock lock(mutex);
        ids.insert(job.id);
        if (!job.duplicate) ++fresh;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(fresh, 10);
  EXPECT_EQ(ids.size(), 10u);
  EXPECT_EQ(CountJobs(), "10");
}

TEST_F(UniqueTest, WhatCannotBeIsRefused) {
  for (const Unique& unique :
       {Unique{.by_args = true, .by_keys = {"a"}},
        Unique{.by_period = seconds(0)}, Unique{.states = {}}}) {
    try {
      Put(UniqueJob("{}", unique));
      ADD_FAILURE();
    } catch (const JobError& error) {
      EXPECT_EQ(error.code(), JobError::Code::kUnique);
    }
  }
  sql::Transaction transaction(database.pool());
  EXPECT_THROW(jobs.InsertCopy(transaction, std::vector{UniqueJob("{}", {})}),
               JobError);
}

TEST_F(UniqueTest, KeysOfJobsThatAreGoneAreForgottenAndOthersKept) {
  const auto client = NewClient();
  const NewJob done =
      UniqueJob("{}", {.states = {JobState::kAvailable, JobState::kRunning}});
  const Inserted first = Put(done);
  const NewJob held = UniqueJob("{}", {.by_queue = true});
  const Inserted kept = Put(held);
  FinishOne(LeaseOne(*client), Outcome::kCompleted);
  EXPECT_EQ(StateOf(first.id), "completed");
  Upkeep upkeep(database.pool(), {});
  EXPECT_EQ(upkeep.Forget(), 0);  // a finished job may be run again
  database.Execute("DELETE FROM jobs_finished");
  EXPECT_EQ(upkeep.Forget(), 1);
  EXPECT_EQ(upkeep.Forget(), 0);
  EXPECT_EQ(Put(held), (Inserted{kept.id, true}));
  EXPECT_FALSE(Put(done).duplicate);
}

}  // namespace
}  // namespace fluxnetes::queue
