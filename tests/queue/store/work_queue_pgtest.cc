#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <thread>

#include "queue/clients/client.h"
#include "queue/control/job_control.h"
#include "queue/store/work_queue.h"
#include "sql/error.h"
#include "sql/mutex.h"
#include "tests/queue/support/queue_fixture.h"

namespace fluxnetes::queue {
namespace {

using std::chrono::milliseconds;

class WorkQueueTest : public QueueTest {};
class Lease : public QueueTest {};
class Results : public QueueTest {};
class Rescue : public QueueTest {};
class Cancel : public QueueTest {};

TEST_F(Lease, TakesNoMoreThanItsLimit) {
  InsertMany("q", 5);
  const auto client = NewClient();
  EXPECT_EQ(jobs.Lease("q", client->id(), 3).size(), 3u);
  EXPECT_EQ(jobs.Lease("q", client->id(), 3).size(), 2u);
  EXPECT_EQ(jobs.Lease("q", client->id(), 3).size(), 0u);
}

TEST_F(Lease, GoesByPriorityThenTimeThenId) {
  NewJob low = JobOf("q");
  low.priority = 4;
  NewJob old = JobOf("q");
  old.scheduled_at = sql::Timestamp(std::chrono::sys_days(
      std::chrono::year_month_day(std::chrono::year(2020),
                                  std::chrono::month(1), std::chrono::day(1))));
  const auto ids =
      IdsOf(jobs.Insert(std::vector{low, JobOf("q"), JobOf("q"), old, low}));
  const auto client = NewClient();
  std::vector<std::int64_t> order;
  for (const Job& job : jobs.Lease("q", client->id(), 10))
    order.push_back(job.id);
  EXPECT_EQ(order, (std::vector{ids[3], ids[1], ids[2], ids[0], ids[4]}));
}

TEST_F(Lease, LeavesOtherQueuesAndTheFutureAlone) {
  NewJob future = JobOf("q");
  future.scheduled_at = std::chrono::floor<std::chrono::microseconds>(
      std::chrono::system_clock::now() + std::chrono::hours(1));
  const auto ids =
      IdsOf(jobs.Insert(std::vector{future, JobOf("other"), JobOf("q")}));
  const auto client = NewClient();
  EXPECT_EQ(LeaseOne(*client).id, ids[2]);
  EXPECT_TRUE(jobs.Lease("q", client->id(), 10).empty());
  EXPECT_EQ(StateOf(ids[0]), "scheduled");
  EXPECT_EQ(StateOf(ids[1]), "available");
}

TEST_F(Lease, SaysAllThatAWorkerNeeds) {
  NewJob job = JobOf("q", "bind");
  job.args = R"({"group": 7})";
  job.priority = 2;
  job.max_attempts = 9;
  const auto id = InsertOne(job);
  const auto client = NewClient();
  const Job leased = LeaseOne(*client);
  EXPECT_EQ(leased.id, id);
  EXPECT_EQ(leased.kind, "bind");
  EXPECT_EQ(leased.queue, "q");
  EXPECT_EQ(leased.args, job.args);
  EXPECT_EQ(leased.priority, 2);
  EXPECT_EQ(leased.attempt, 1);
  EXPECT_EQ(leased.max_attempts, 9);
  EXPECT_EQ(leased.created_at, leased.scheduled_at);
  EXPECT_EQ(StateOf(id), "running");
}

TEST_F(Lease, APausedQueueGivesNone) {
  InsertMany("q", 2);
  const auto client = NewClient();
  jobs.Pause("q");
  jobs.Pause("q");
  EXPECT_TRUE(jobs.Lease("q", client->id(), 10).empty());
  jobs.Resume("q");
  EXPECT_EQ(jobs.Lease("q", client->id(), 10).size(), 2u);
}

TEST_F(Lease, NobodyWhoIsNotAliveGetsAny) {
  InsertMany("q", 2);
  EXPECT_TRUE(jobs.Lease("q", 4711, 10).empty());
  const auto client = NewClient();
  Kill(*client);
  EXPECT_TRUE(jobs.Lease("q", client->id(), 10).empty());
}

TEST_F(Lease, AForeignLockIsPassedOverAndNotWaitedFor) {
  const auto ids = InsertMany("q", 3);
  const auto client = NewClient();
  sql::Transaction other(database.pool());
  other.RunScript("SELECT FROM jobs WHERE id = " + std::to_string(ids[0]) +
                  " FOR UPDATE");
  const auto leased = jobs.Lease("q", client->id(), 2);
  ASSERT_EQ(leased.size(), 2u);
  EXPECT_EQ(leased[0].id, ids[1]);
}

TEST_F(Lease, SixteenClientsShareNoJob) {
  constexpr int kJobs = 10'000;
  sql::PoolOptions options = database.options();
  options.max_connections = 16;
  sql::Pool pool(options);
  WorkQueue shared(pool);
  InsertMany("q", kJobs);
  sql::Mutex mutex;
  std::multiset<std::int64_t> taken;
  std::vector<std::unique_ptr<Client>> clients;  // kept alive with its jobs
  for (int i = 0; i < 16; ++i) clients.push_back(NewClient());
  std::vector<std::thread> threads;
  for (const auto& client : clients)
    threads.emplace_back([&] {
      while (true) {
        const auto leased = shared.Lease("q", client->id(), 37);
        const sql::MutexLock lock(mutex);
        for (const Job& job : leased) taken.insert(job.id);
        if (taken.size() >= kJobs) return;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(taken.size(), static_cast<std::size_t>(kJobs));
  EXPECT_EQ(std::set<std::int64_t>(taken.begin(), taken.end()).size(),
            static_cast<std::size_t>(kJobs));
}

TEST_F(Results, EachOutcomeLeavesItsTrace) {
  InsertMany("q", 5);
  const auto client = NewClient();
  const auto leased = jobs.Lease("q", client->id(), 5);
  const auto accepted = jobs.Finish(std::vector<JobResult>{
      {leased[0].id, 1, Outcome::kCompleted, "", {}},
      {leased[1].id, 1, Outcome::kFailed, "no \"luck\"", {}},
      {leased[2].id, 1, Outcome::kSnoozed, "", milliseconds(60'000)},
      {leased[3].id, 1, Outcome::kCancelled, "", {}},
      {leased[4].id, 1, Outcome::kDiscarded, "useless", {}}});
  EXPECT_EQ(accepted, std::vector<bool>(5, true));
  EXPECT_EQ(StateOf(leased[0].id), "completed");
  EXPECT_EQ(StateOf(leased[1].id), "retryable");
  EXPECT_EQ(StateOf(leased[2].id), "scheduled");
  EXPECT_EQ(StateOf(leased[3].id), "cancelled");
  EXPECT_EQ(StateOf(leased[4].id), "discarded");
  EXPECT_EQ(database.Ask("SELECT count(*) FROM jobs"), "2");
  EXPECT_EQ(database.AskAll("SELECT errors->0->>'message', "
                            "errors->0->>'attempt', jsonb_array_length(errors) "
                            "FROM jobs WHERE state = 'retryable'"),
            "no \"luck\"|1|1");
  EXPECT_EQ(database.Ask("SELECT errors->0->>'message' FROM jobs_finished "
                         "WHERE state = 'discarded'"),
            "useless");
}

TEST_F(Results, AFinishedJobKeepsEverythingItHad) {
  NewJob job = JobOf("q", "bind");
  job.args = R"({"a": 1})";
  job.tags = {"t"};
  job.metadata = R"({"m": 2})";
  InsertOne(job);
  const auto client = NewClient();
  FinishOne(LeaseOne(*client), Outcome::kCompleted);
  EXPECT_EQ(database.AskAll(
                "SELECT kind, queue, priority, state, attempt, max_attempts, "
                "client_id = " +
                std::to_string(client->id()) +
                ", args, errors, tags, metadata, attempted_at >= created_at, "
                "finalized_at >= attempted_at FROM jobs_finished"),
            "bind|q|1|completed|1|25|t|{\"a\": 1}|[]|{t}|{\"m\": 2}|t|t");
}

TEST_F(Results, MetadataIsMergedWhateverTheOutcome) {
  for (const Outcome outcome :
       {Outcome::kCompleted, Outcome::kFailed, Outcome::kSnoozed,
        Outcome::kCancelled, Outcome::kDiscarded}) {
    NewJob job = JobOf("q");
    job.metadata = R"({"kept": 1, "changed": 1})";
    const auto id = InsertOne(job);
    const auto client = NewClient();
    const Job leased = LeaseOne(*client);
    EXPECT_EQ(leased.metadata, R"({"kept": 1, "changed": 1})");
    JobResult result{leased.id, leased.attempt, outcome};
    result.metadata = R"({"changed": {"a": 2}, "new": "ü"})";
    result.delay = milliseconds(60'000);
    EXPECT_TRUE(jobs.Finish(std::vector{result})[0]);
    EXPECT_EQ(database.Ask(
                  "SELECT metadata FROM jobs WHERE id = " + std::to_string(id) +
                  " UNION ALL SELECT metadata FROM jobs_finished "
                  "WHERE id = " +
                  std::to_string(id)),
              R"({"new": "ü", "kept": 1, "changed": {"a": 2}})");
  }
}

TEST_F(Results, AFailureHasItsTraceAndMayChooseItsDelay) {
  InsertOne(JobOf("q"));
  const auto client = NewClient();
  const Job job = LeaseOne(*client);
  JobResult result{job.id, job.attempt, Outcome::kFailed, "no"};
  result.trace = "here\nthere";
  result.delay = milliseconds(3'600'000);
  EXPECT_TRUE(jobs.Finish(std::vector{result})[0]);
  EXPECT_EQ(
      database.AskAll("SELECT state, errors->0->>'trace', "
                      "scheduled_at - now() > interval '50 minutes' FROM jobs"),
      "retryable|here\nthere|t");
}

TEST_F(Results, WhatAFailureSaysIsCutAndMadeText) {
  InsertOne(JobOf("q"));
  const auto client = NewClient();
  const Job job = LeaseOne(*client);
  JobResult result{job.id, job.attempt, Outcome::kDiscarded};
  result.error = std::string(kMaxErrorBytes - 1, 'x') + "ü and more";
  result.trace = std::string("a\0b\xff", 4);
  EXPECT_TRUE(jobs.Finish(std::vector{result})[0]);
  EXPECT_EQ(database.AskAll("SELECT length(errors->0->>'message'), "
                            "errors->0->>'trace' FROM jobs_finished"),
            std::to_string(kMaxErrorBytes - 1) + "|a?b?");
}

TEST_F(Results, TheLastHundredErrorsAreKept) {
  NewJob job = JobOf("q");
  job.max_attempts = kNoLimit;
  InsertOne(job);
  const auto client = NewClient();
  for (int i = 0; i < kMaxErrors + 3; ++i)
    FinishOne(LeaseOne(*client), Outcome::kFailed, std::to_string(i),
              milliseconds(0));
  EXPECT_EQ(database.AskAll("SELECT jsonb_array_length(errors), "
                            "errors->0->>'message', errors->-1->>'message' "
                            "FROM jobs"),
            "100|3|102");
}

TEST_F(Results, OnesThatCannotBeAreRefusedAndNothingIsChanged) {
  const auto id = InsertOne(JobOf("q"));
  const auto client = NewClient();
  const Job job = LeaseOne(*client);
  JobResult result{job.id, job.attempt};
  result.metadata = "[]";
  EXPECT_THROW(jobs.Finish(std::vector{result}), JobError);
  result.metadata = "";
  result.delay = milliseconds(-1);
  EXPECT_THROW(jobs.Finish(std::vector{result}), JobError);
  EXPECT_EQ(StateOf(id), "running");
}

TEST_F(WorkQueueTest, AQueueThatNobodyKnowsIsNotPaused) {
  EXPECT_THROW(jobs.Pause("q"), JobError);
  EXPECT_THROW(jobs.Resume("q"), JobError);
  const auto client = NewClient();
  EXPECT_TRUE(jobs.Lease("q", client->id(), 1).empty());  // notes the queue
  jobs.Pause("q");
  jobs.Resume("q");
}

TEST_F(Results, AStaleAttemptIsRefusedAndChangesNothing) {
  const auto id = InsertOne(JobOf("q"));
  const auto first = NewClient();
  const Job stale = LeaseOne(*first);
  Kill(*first);
  EXPECT_EQ(jobs.Rescue(), 1);
  const auto second = NewClient();
  const Job fresh = LeaseOne(*second);
  EXPECT_EQ(fresh.attempt, 2);
  for (const Outcome outcome :
       {Outcome::kCompleted, Outcome::kFailed, Outcome::kSnoozed,
        Outcome::kCancelled, Outcome::kDiscarded})
    EXPECT_FALSE(FinishOne(stale, outcome));
  EXPECT_EQ(StateOf(id), "running");
  EXPECT_TRUE(FinishOne(fresh, Outcome::kCompleted));
  EXPECT_EQ(StateOf(id), "completed");
}

TEST_F(Results, SayingItTwiceIsHarmless) {
  InsertOne(JobOf("q"));
  const auto client = NewClient();
  const Job job = LeaseOne(*client);
  const JobResult done{job.id, job.attempt, Outcome::kCompleted, "", {}};
  EXPECT_EQ(jobs.Finish(std::vector{done, done}),
            (std::vector<bool>{true, false}));
  EXPECT_EQ(jobs.Finish(std::vector{done}), std::vector<bool>{false});
  EXPECT_EQ(database.Ask("SELECT count(*) FROM jobs_finished"), "1");
}

TEST_F(Results, TheLastAttemptThatFailsDiscards) {
  NewJob job = JobOf("q");
  job.max_attempts = 2;
  const auto id = InsertOne(job);
  const auto client = NewClient();
  EXPECT_TRUE(FinishOne(LeaseOne(*client), Outcome::kFailed, "one"));
  EXPECT_EQ(StateOf(id), "retryable");
  database.Execute("UPDATE jobs SET scheduled_at = now()");
  EXPECT_EQ(jobs.MakeDueAvailable(), 1);
  EXPECT_TRUE(FinishOne(LeaseOne(*client), Outcome::kFailed, "two"));
  EXPECT_EQ(StateOf(id), "discarded");
  EXPECT_EQ(database.Ask("SELECT errors->1->>'message' FROM jobs_finished"),
            "two");
}

TEST_F(Results, TheBackOffGrowsWithTheFourthPower) {
  InsertOne(JobOf("q"));
  const auto client = NewClient();
  for (const int seconds : {1, 16, 81}) {
    const Job job = LeaseOne(*client);
    const std::string clock = "SELECT clock_timestamp()";
    const std::string before = database.Ask(clock);
    FinishOne(job, Outcome::kFailed, "no");
    const std::string after = database.Ask(clock);
    EXPECT_EQ(database.Ask(fmt::format(
                  "SELECT scheduled_at BETWEEN '{}'::timestamptz + {} * "
                  "interval '0.9 s' AND '{}'::timestamptz + {} * "
                  "interval '1.1 s' FROM jobs",
                  before, seconds, after, seconds)),
              "t");
    database.Execute("UPDATE jobs SET state = 'available'");
  }
}

TEST_F(Results, ASnoozeBurnsNoAttempt) {
  NewJob job = JobOf("q");
  job.max_attempts = 1;
  const auto id = InsertOne(job);
  const auto client = NewClient();
  for (int i = 0; i < 3; ++i) FinishOne(LeaseOne(*client), Outcome::kSnoozed);
  EXPECT_EQ(StateOf(id), "available");
  EXPECT_EQ(database.Ask("SELECT max_attempts - attempt FROM jobs"), "1");
}

TEST_F(Results, TakePartInTheCallersTransaction) {
  const auto id = InsertOne(JobOf("q"));
  const auto client = NewClient();
  const Job job = LeaseOne(*client);
  {
    sql::Transaction transaction(database.pool());
    EXPECT_TRUE(jobs.Finish(transaction,
                            std::vector<JobResult>{{job.id, job.attempt}})[0]);
  }
  EXPECT_EQ(StateOf(id), "running");
}

TEST_F(WorkQueueTest, WhatIsDueBecomesAvailable) {
  NewJob later = JobOf("q");
  later.scheduled_at = std::chrono::floor<std::chrono::microseconds>(
      std::chrono::system_clock::now() + std::chrono::hours(1));
  jobs.Insert(std::vector<NewJob>(2'500, later));
  EXPECT_EQ(jobs.MakeDueAvailable(), 0);
  database.Execute("UPDATE jobs SET scheduled_at = now() WHERE id % 5 <> 0");
  EXPECT_EQ(jobs.MakeDueAvailable(), 2'000);
  EXPECT_EQ(jobs.MakeDueAvailable(), 0);
}

TEST_F(Rescue, JobsOfADeadClientRunAgain) {
  InsertMany("q", 3);
  const auto dead = NewClient();
  const auto alive = NewClient();
  jobs.Lease("q", dead->id(), 2);
  jobs.Lease("q", alive->id(), 1);
  EXPECT_EQ(jobs.Rescue(), 0);
  Kill(*dead);
  EXPECT_EQ(jobs.Rescue(), 2);
  EXPECT_EQ(database.Ask("SELECT count(*) FROM clients"), "1");
  EXPECT_EQ(database.Ask("SELECT count(*) FROM jobs WHERE state = 'running'"),
            "1");
  EXPECT_EQ(jobs.Lease("q", alive->id(), 9).size(), 2u);
}

TEST_F(Rescue, JobsOfAVanishedClientRunAgain) {
  InsertMany("q", 3);
  const auto gone = NewClient();
  jobs.Lease("q", gone->id(), 3);
  database.Execute("DELETE FROM clients");
  EXPECT_EQ(jobs.Rescue(), 3);
}

TEST_F(Rescue, AJobThatWasCompletedInBetweenIsNotTouched) {
  const auto ids = InsertMany("q", 2);
  const auto dead = NewClient();
  const Job job = LeaseOne(*dead);
  LeaseOne(*dead);
  Kill(*dead);
  EXPECT_TRUE(FinishOne(job, Outcome::kCompleted));
  EXPECT_EQ(jobs.Rescue(), 1);
  EXPECT_EQ(StateOf(ids[0]), "completed");
  EXPECT_EQ(StateOf(ids[1]), "available");
}

TEST_F(Rescue, DoesNotWaitForALockedJob) {
  const auto ids = InsertMany("q", 2);
  const auto dead = NewClient();
  const Job job = LeaseOne(*dead);
  LeaseOne(*dead);
  Kill(*dead);
  {
    sql::Transaction slow(database.pool());
    jobs.Finish(slow, std::vector<JobResult>{{job.id, job.attempt}});
    EXPECT_EQ(jobs.Rescue(), 1);
  }
  EXPECT_EQ(jobs.Rescue(), 1);
  EXPECT_EQ(StateOf(ids[0]), "available");
}

TEST_F(Rescue, TheLastAttemptEndsTheJob) {
  NewJob job = JobOf("q");
  job.max_attempts = 1;
  const auto id = InsertOne(job);
  const auto dead = NewClient();
  LeaseOne(*dead);
  Kill(*dead);
  EXPECT_EQ(jobs.Rescue(), 1);
  EXPECT_EQ(StateOf(id), "discarded");
  EXPECT_EQ(database.Ask("SELECT errors->0->>'message' FROM jobs_finished"),
            "its client died");
}

TEST_F(Rescue, ManyJobsAreRescuedInBatches) {
  InsertMany("q", 2'500);
  const auto dead = NewClient();
  jobs.Lease("q", dead->id(), 2'500);
  Kill(*dead);
  EXPECT_EQ(jobs.Rescue(), 2'500);
}

TEST_F(Cancel, EachStateHasItsAnswer) {
  InsertMany("q", 2);
  const auto client = NewClient();
  const Job done = LeaseOne(*client);
  FinishOne(done, Outcome::kCompleted);
  const Job running = LeaseOne(*client);
  NewJob later = JobOf("q");
  later.scheduled_at = std::chrono::floor<std::chrono::microseconds>(
      std::chrono::system_clock::now() + std::chrono::hours(1));
  const auto scheduled = InsertOne(later);
  const auto waiting = InsertOne(JobOf("q"));
  sql::Transaction transaction(database.pool());
  EXPECT_EQ(
      JobControl::Cancel(
          transaction, std::vector<std::int64_t>{done.id, running.id, scheduled,
                                                 waiting, 4711}),
      (std::vector{Changed::kNotAllowed, Changed::kAsked, Changed::kDone,
                   Changed::kDone, Changed::kUnknown}));
  transaction.Commit();
  EXPECT_EQ(StateOf(done.id), "completed");
  EXPECT_EQ(StateOf(running.id), "running");
  EXPECT_EQ(StateOf(scheduled), "cancelled");
  EXPECT_EQ(StateOf(waiting), "cancelled");
}

TEST_F(Cancel, ARunningJobsClientIsToldOnce) {
  InsertOne(JobOf("q"));
  const auto client = NewClient();
  std::vector<std::int64_t> told;
  client->OnCancelRequest([&](std::int64_t job) {
    told.push_back(job);
    return true;
  });
  const Job job = LeaseOne(*client);
  client->Beat();
  EXPECT_TRUE(told.empty());
  sql::Transaction transaction(database.pool());
  JobControl::Cancel(transaction, std::vector{job.id});
  transaction.Commit();
  client->Beat();
  client->Beat();
  EXPECT_EQ(told, std::vector{job.id});
}

TEST_F(Cancel, AJobToBeCancelledIsNotTriedAgain) {
  const auto id = InsertOne(JobOf("q"));
  const auto client = NewClient();
  const Job job = LeaseOne(*client);
  sql::Transaction transaction(database.pool());
  JobControl::Cancel(transaction, std::vector{job.id});
  transaction.Commit();
  EXPECT_TRUE(FinishOne(job, Outcome::kFailed, "stopped"));
  EXPECT_EQ(StateOf(id), "cancelled");
}

}  // namespace
}  // namespace fluxnetes::queue
