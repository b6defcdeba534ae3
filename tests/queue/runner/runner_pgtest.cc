#include <atomic>
#include <stdexcept>

#include "sql/connection/transaction.h"
#include "tests/queue/runner/runner_fixture.h"

namespace fluxnetes::queue {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST_F(RunnerTest, ABlockingWorkersJobIsCompletedWhenItReturns) {
  Workers workers;
  std::string seen;
  workers.Add("k", [&](RunningJob& job) { seen = job.args(); });
  const auto runner = Started(workers);
  NewJob job = JobOf("q");
  job.args = R"({"name": "world"})";
  const auto id = InsertOne(job);
  EXPECT_TRUE(WaitForState(id, "completed"));
  EXPECT_TRUE(runner->Stop());
  EXPECT_EQ(seen, R"({"name": "world"})");
}

TEST_F(RunnerTest, AWorkerThatThrowsFailsItsJob) {
  Workers workers;
  workers.Add("k", [](RunningJob&) { throw std::runtime_error("no luck"); });
  workers.Add("odd", [](RunningJob&) { throw 7; });
  const auto runner = Started(workers);
  const auto id = InsertOne(JobOf("q"));
  const auto odd = InsertOne(JobOf("q", "odd"));
  EXPECT_TRUE(WaitForState(id, "retryable"));
  EXPECT_EQ(ErrorOf(id), "no luck");
  EXPECT_TRUE(WaitForState(odd, "retryable"));
}

TEST_F(RunnerTest, AWorkerMaySayHowItsJobEnds) {
  Workers workers;
  workers.Add("snooze", [](RunningJob& job) { job.Snooze(hours(1)); });
  workers.Add("cancel", [](RunningJob& job) { job.Cancel(); });
  workers.Add("discard", [](RunningJob& job) { job.Discard("useless"); });
  workers.Add("first", [](RunningJob& job) {
    EXPECT_TRUE(job.Fail("the first counts"));
    EXPECT_FALSE(job.Complete());
  });
  const auto runner = Started(workers);
  const auto snoozed = InsertOne(JobOf("q", "snooze"));
  const auto cancelled = InsertOne(JobOf("q", "cancel"));
  const auto discarded = InsertOne(JobOf("q", "discard"));
  const auto first = InsertOne(JobOf("q", "first"));
  EXPECT_TRUE(WaitForState(snoozed, "scheduled"));
  EXPECT_TRUE(WaitForState(cancelled, "cancelled"));
  EXPECT_TRUE(WaitForState(discarded, "discarded"));
  EXPECT_EQ(ErrorOf(discarded), "useless");
  EXPECT_TRUE(WaitForState(first, "retryable"));
  EXPECT_EQ(ErrorOf(first), "the first counts");
}

TEST_F(RunnerTest, AJobThatNobodyKnowsFails) {
  const auto runner = Started(Workers());
  const auto id = InsertOne(JobOf("q", "unheard-of"));
  EXPECT_TRUE(WaitForState(id, "retryable"));
  EXPECT_EQ(ErrorOf(id), "nobody here works on jobs of the kind unheard-of");
}

TEST_F(RunnerTest, ACallbackWorkersJobIsFinishedByWhoeverKeepsIt) {
  Workers workers;
  Kept kept;
  workers.AddCallback("k", [&](RunningJob job) { kept.Keep(std::move(job)); });
  const auto runner = Started(workers, Options(1'000));
  InsertMany("q", 1'000);
  ASSERT_TRUE(kept.WaitFor(1'000));
  EXPECT_EQ(runner->running(), 1'000);
  EXPECT_EQ(database.Ask("SELECT count(*) FROM jobs_finished"), "0");
  for (const RunningJob& job : kept.TakeAll()) RunningJob(job).Complete();
  EXPECT_TRUE(WaitForAnswer(
      "SELECT count(*) FROM jobs_finished WHERE state = 'completed'", "1000"));
}

TEST_F(RunnerTest, ACallbackWorkerThatLetsGoOfItsJobFailsIt) {
  Workers workers;
  workers.AddCallback("k", [](const RunningJob&) {});
  workers.AddCallback(
      "throws", [](const RunningJob&) { throw std::runtime_error("at once"); });
  const auto runner = Started(workers);
  const auto id = InsertOne(JobOf("q"));
  const auto throws = InsertOne(JobOf("q", "throws"));
  EXPECT_TRUE(WaitForState(id, "retryable"));
  EXPECT_EQ(ErrorOf(id), "its worker let go of it without a result");
  EXPECT_TRUE(WaitForState(throws, "retryable"));
  EXPECT_EQ(ErrorOf(throws), "at once");
}

TEST_F(RunnerTest, NeverMoreJobsRunThanThereAreSlots) {
  Workers workers;
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  std::atomic<int> most_leased = 0;
  workers.Add("k", [&](RunningJob&) {
    const int now = ++running;
    if (now > most) most = now;
    const int leased = std::stoi(database.Ask(
        "SELECT count(*) FROM jobs WHERE state = 'running' AND queue = 'q'"));
    if (leased > most_leased) most_leased = leased;
    --running;
  });
  InsertMany("q", 60);
  RunnerOptions options = Options(3);
  options.threads = 8;
  const auto runner = Started(workers, options);
  EXPECT_TRUE(WaitForAnswer("SELECT count(*) FROM jobs", "0"));
  EXPECT_LE(most, 3);
  // An ended job without a recorded result still counts as running in the
  // database.
  EXPECT_GE(most_leased, 1);
}

TEST_F(RunnerTest, AFullBatchIsFollowedByTheNextAtOnce) {
  Workers workers;
  workers.Add("k", [](RunningJob&) {});
  InsertMany("q", 50);
  RunnerOptions options = Options(2);
  options.poll = hours(1);
  const auto runner = Started(workers, options);
  EXPECT_TRUE(WaitForAnswer("SELECT count(*) FROM jobs", "0"));
}

TEST_F(RunnerTest, EachQueueHasSlotsOfItsOwn) {
  Workers workers;
  Kept kept;
  workers.AddCallback("k", [&](RunningJob job) { kept.Keep(std::move(job)); });
  RunnerOptions options = Options();
  options.queues = {{"a", 2}, {"b", 1}};
  options.stop_wait = options.stop_cancel = milliseconds(0);
  InsertMany("a", 5);
  InsertMany("b", 5);
  InsertMany("other", 5);
  const auto runner = Started(workers, options);
  ASSERT_TRUE(kept.WaitFor(3));
  EXPECT_EQ(database.AskAll("SELECT queue, count(*) FROM jobs "
                            "WHERE state = 'running' GROUP BY 1 ORDER BY 1"),
            "a|2\nb|1");
  runner->Stop();
}

TEST_F(RunnerTest, AJobCompletedInItsWorkersTransactionIsDoneWithIt) {
  database.Execute("CREATE TABLE done (job bigint)");
  Workers workers;
  workers.Add("k", [&](RunningJob& job) {
    sql::Transaction transaction(database.pool());
    transaction.RunScript("INSERT INTO done VALUES (1)");
    job.CompleteIn(transaction);
    transaction.Commit();
  });
  const auto runner = Started(workers);
  const auto events = runner->Subscribe();
  const auto id = InsertOne(JobOf("q"));
  EXPECT_TRUE(WaitForState(id, "completed"));
  EXPECT_EQ(database.Ask("SELECT count(*) FROM done"), "1");
  const auto event = events->Next(kPatience);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind, EventKind::kCompleted);
  EXPECT_EQ(event->error, "");
}

TEST_F(RunnerTest, AJobWhoseWorkersTransactionIsNotCommittedFails) {
  database.Execute("CREATE TABLE done (job bigint)");
  Workers workers;
  workers.Add("k", [&](RunningJob& job) {
    sql::Transaction transaction(database.pool());
    transaction.RunScript("INSERT INTO done VALUES (1)");
    job.CompleteIn(transaction);
  });
  const auto runner = Started(workers);
  const auto id = InsertOne(JobOf("q"));
  EXPECT_TRUE(WaitForState(id, "retryable"));
  EXPECT_EQ(ErrorOf(id), "the transaction that completed it was not committed");
  EXPECT_EQ(database.Ask("SELECT count(*) FROM done"), "0");
}

TEST_F(RunnerTest, ALostJobCannotBeCompletedInATransaction) {
  Workers workers;
  Kept kept;
  workers.AddCallback("k", [&](RunningJob job) { kept.Keep(std::move(job)); });
  const auto runner = Started(workers);
  const auto events = runner->Subscribe();
  InsertOne(JobOf("q"));
  ASSERT_TRUE(kept.WaitFor(1));
  database.Execute("UPDATE jobs SET attempt = attempt + 1");
  {
    sql::Transaction transaction(database.pool());
    EXPECT_THROW(kept.at(0).CompleteIn(transaction), LeaseLost);
  }
  database.Execute("UPDATE jobs SET attempt = attempt - 1");
  kept.TakeAll();
  const auto event = events->Next(kPatience);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind, EventKind::kFailed);
}

TEST_F(RunnerTest, AResultOfALostLeaseIsToldAsLost) {
  Workers workers;
  Kept kept;
  workers.AddCallback("k", [&](RunningJob job) { kept.Keep(std::move(job)); });
  const auto runner = Started(workers);
  const auto events = runner->Subscribe();
  const auto id = InsertOne(JobOf("q"));
  ASSERT_TRUE(kept.WaitFor(1));
  database.Execute("UPDATE jobs SET attempt = attempt + 1");
  EXPECT_TRUE(kept.at(0).Complete());
  const auto event = events->Next(kPatience);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind, EventKind::kLost);
  EXPECT_EQ(StateOf(id), "running");
}

TEST_F(RunnerTest, OptionsThatCannotBeAreRefused) {
  EXPECT_THROW(Runner(database.pool(), {}, {.queues = {}}),
               std::invalid_argument);
  EXPECT_THROW(Runner(database.pool(), {}, {.queues = {{"q", 0}}}),
               std::invalid_argument);
  EXPECT_THROW(Runner(database.pool(), {},
                      {.queues = {{"q", 1}}, .poll = milliseconds(0)}),
               std::invalid_argument);
}

}  // namespace
}  // namespace fluxnetes::queue
