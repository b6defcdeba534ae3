// The life cycle of a runner.

#include <atomic>

#include "tests/queue/runner/runner_fixture.h"

namespace fluxnetes::queue {
namespace {

using std::chrono::milliseconds;

class RunnerStop : public RunnerTest {
 protected:
  static RunnerOptions Impatient() {
    RunnerOptions options = Options();
    options.stop_wait = milliseconds(10);
    options.stop_cancel = milliseconds(10);
    return options;
  }
  std::string States() {
    return database.AskAll(
        "SELECT state, attempt, max_attempts FROM jobs ORDER BY id");
  }
};

TEST_F(RunnerStop, StopWaitsForRunningJobsAndRecordsThem) {
  Workers workers;
  Gate gate;
  workers.Add("k", [&](RunningJob&) { gate.Pass(); });
  const auto runner = Started(workers);
  InsertMany("q", 3);
  ASSERT_TRUE(gate.WaitFor(3));
  std::thread opener([&] { gate.Open(); });
  EXPECT_TRUE(runner->Stop());
  opener.join();
  EXPECT_EQ(database.Ask(
                "SELECT count(*) FROM jobs_finished WHERE state = 'completed'"),
            "3");
  EXPECT_EQ(database.Ask("SELECT count(*) FROM clients"), "0");
}

TEST_F(RunnerStop, AfterAWhileJobsAreAskedToStopAndGivenBack) {
  Workers workers;
  Gate gate;
  workers.Add("k", [&](RunningJob& job) {
    Gate stopped;
    const std::stop_callback open(job.stop_token(), [&] { stopped.Open(); });
    gate.Pass();
    stopped.Pass();
    EXPECT_EQ(job.stop_reason(), StopReason::kStopping);
    throw std::runtime_error("told to stop");
  });
  gate.Open();
  RunnerOptions options = Impatient();
  options.stop_cancel = kPatience;
  const auto runner = Started(workers, options);
  InsertMany("q", 2);
  ASSERT_TRUE(gate.WaitFor(2));
  EXPECT_FALSE(runner->Stop());
  EXPECT_EQ(States(), "available|1|26\navailable|1|26");
}

TEST_F(RunnerStop, ThenTheyAreAbandonedAndNothingIsRunning) {
  Workers workers;
  Gate gate;
  std::atomic<int> gone = 0;
  workers.Add("k", [&](RunningJob&) {
    gate.Pass();
    ++gone;
  });
  Kept kept;
  workers.AddCallback("kept",
                      [&](RunningJob job) { kept.Keep(std::move(job)); });
  const auto runner = Started(workers, Impatient());
  InsertMany("q", 2);
  InsertOne(JobOf("q", "kept"));
  ASSERT_TRUE(gate.WaitFor(2));
  ASSERT_TRUE(kept.WaitFor(1));
  EXPECT_FALSE(runner->Stop());
  EXPECT_EQ(database.Ask("SELECT count(*) FROM jobs WHERE state = 'running'"),
            "0");
  EXPECT_EQ(States(), "available|1|26\navailable|1|26\navailable|1|26");
  EXPECT_FALSE(kept.at(0).Complete());
  gate.Open();
  EXPECT_TRUE(
      fluxnetes::testing::WaitUntil(kPatience, [&] { return gone == 2; }));
}

TEST_F(RunnerStop, WhatWasLeasedAndHadNotBegunIsGivenBack) {
  Workers workers;
  Gate gate;
  workers.Add("k", [&](RunningJob&) { gate.Pass(); });
  RunnerOptions options = Options();
  options.threads = 1;
  InsertMany("q", 3);
  const auto runner = Started(workers, options);
  ASSERT_TRUE(gate.WaitFor(1));
  ASSERT_TRUE(
      WaitForAnswer("SELECT count(*) FROM jobs WHERE state = 'running'", "3"));
  std::thread opener([&] {
    // The first job given back shows that leasing has ended.
    EXPECT_TRUE(WaitForAnswer(
        "SELECT count(*) FROM jobs WHERE state = 'available'", "2"));
    gate.Open();
  });
  runner->Stop();
  opener.join();
  EXPECT_EQ(States(), "available|1|26\navailable|1|26");
  EXPECT_EQ(gate.arrived(), 1);
}

TEST_F(RunnerStop, AStopBeforeTheStartIsFine) {
  Runner runner(database.pool(), {}, Options());
  EXPECT_TRUE(runner.Stop());
  runner.Start();
  EXPECT_THROW(runner.Start(), std::logic_error);
  EXPECT_TRUE(runner.Stop());
  EXPECT_TRUE(runner.Stop());
  EXPECT_EQ(runner.client_id(), 0);
  EXPECT_EQ(runner.running(), 0);
}

TEST_F(RunnerStop, AThousandStartsAndStopsLoseNothing) {
  Workers workers;
  std::atomic<int> runs = 0;
  workers.Add("k", [&](RunningJob&) { ++runs; });
  RunnerOptions options = Options();
  options.listen = false;
  Runner runner(database.pool(), workers, options);
  InsertMany("q", 300);
  for (int i = 0; i < 1'000; ++i) {
    runner.Start();
    EXPECT_TRUE(runner.Stop());
  }
  EXPECT_EQ(database.Ask("SELECT count(*) FROM clients"), "0");
  EXPECT_EQ(database.Ask("SELECT count(*) FROM jobs WHERE state = 'running'"),
            "0");
  runner.Start();
  EXPECT_TRUE(WaitForAnswer("SELECT count(*) FROM jobs", "0"));
  EXPECT_TRUE(runner.Stop());
  EXPECT_EQ(runs, 300);
  EXPECT_EQ(database.Ask("SELECT count(DISTINCT id) FROM jobs_finished"),
            "300");
}

TEST_F(RunnerStop, StartsAndStopsWithABellLeaveNothing) {
  Workers workers;
  workers.Add("k", [](RunningJob&) {});
  Runner runner(database.pool(), workers, Options());
  for (int i = 0; i < 30; ++i) {
    runner.Start();
    if (i % 2 == 0) InsertMany("q", 5);
    EXPECT_TRUE(runner.Stop());
  }
  EXPECT_EQ(database.Ask("SELECT count(*) FROM clients"), "0");
  EXPECT_EQ(database.Ask("SELECT count(*) FROM jobs WHERE state = 'running'"),
            "0");
}

TEST_F(RunnerStop, AStartWithoutADatabaseThrowsAndMayBeTriedAgain) {
  sql::PoolOptions nowhere = database.options();
  nowhere.connection = "host=/nonexistent";
  sql::Pool pool(nowhere);
  Runner runner(pool, {}, Options());
  EXPECT_THROW(runner.Start(), sql::Error);
  EXPECT_THROW(runner.Start(), sql::Error);
  EXPECT_TRUE(runner.Stop());
}

}  // namespace
}  // namespace fluxnetes::queue
