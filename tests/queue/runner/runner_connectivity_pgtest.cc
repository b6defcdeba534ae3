// A runner whose server disconnects, restarts, is read-only for a while or
// hangs: it recovers by itself, and no job is lost or stuck.

#include <cstdlib>
#include <set>
#include <thread>

#include "sql/mutex.h"
#include "tests/queue/runner/runner_fixture.h"
#include "tests/support/relay.h"

namespace fluxnetes::queue {
namespace {

using fluxnetes::testing::PrivateServer;
using fluxnetes::testing::Relay;
using fluxnetes::testing::TestDatabase;
using fluxnetes::testing::WaitUntil;
using std::chrono::milliseconds;

class RunnerConnectivity : public ::testing::Test {
 protected:
  static PrivateServer& Server() {
    static PrivateServer server({"fsync=off"});
    return server;
  }

  RunnerConnectivity() {
    workers.Add("k", [this](RunningJob& job) {
      const sql::MutexLock lock(mutex);
      ran.insert(job.job().id);
    });
  }

  static RunnerOptions Options() {
    RunnerOptions options;
    options.queues = {{"q", 5}};
    options.poll = milliseconds(50);
    options.client.time_to_live = std::chrono::minutes(5);
    return options;
  }

  static std::vector<NewJob> SomeJobs(int count) {
    return std::vector<NewJob>(count, {.kind = "k", .queue = "q"});
  }

  // Does the maintenance leader's work.
  void Maintain() {
    try {
      jobs.Rescue();
      jobs.MakeDueAvailable();
    } catch (const sql::Error&) {
    }
  }

  bool WaitForAll(int count) {
    return WaitUntil(std::chrono::seconds(300), [&] {
      Maintain();
      try {
        return database.Ask("SELECT count(*) FROM jobs_finished") ==
                   std::to_string(count) &&
               database.Ask("SELECT count(*) FROM jobs") == "0";
      } catch (const sql::Error&) {
        return false;
      }
    });
  }

  std::size_t RanCount() {
    const sql::MutexLock lock(mutex);
    return ran.size();
  }

  TestDatabase database{true, Server().connection()};
  WorkQueue jobs{database.pool()};
  Workers workers;
  sql::Mutex mutex;
  std::set<std::int64_t> ran GUARDED_BY(mutex);
};

TEST_F(RunnerConnectivity, AllItsConnectionsMayBeTerminatedAgainAndAgain) {
  jobs.Insert(SomeJobs(300));
  Runner runner(database.pool(), workers, Options());
  runner.Start();
  TestDatabase killer(false, Server().connection());
  for (int i = 0; i < 20; ++i) {
    const std::size_t before = RanCount();
    killer.Ask(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
        "WHERE pid <> pg_backend_pid() AND datname = current_database()");
    WaitUntil(milliseconds(100), [&] { return RanCount() > before; });
  }
  EXPECT_TRUE(WaitForAll(300));
  EXPECT_TRUE(runner.Stop());
  EXPECT_EQ(RanCount(), 300u);
}

TEST_F(RunnerConnectivity, ARestartOfTheServerNeedsNoManualStep) {
  jobs.Insert(SomeJobs(10));
  Runner runner(database.pool(), workers, Options());
  runner.Start();
  Server().Restart();
  EXPECT_TRUE(WaitForAll(10));
  while (true) {
    try {
      jobs.Insert(SomeJobs(10));
      break;
    } catch (const sql::Error&) {
    }
  }
  EXPECT_TRUE(WaitForAll(20));
  EXPECT_TRUE(runner.Stop());
}

TEST_F(RunnerConnectivity,
       AServerThatIsReadOnlyForAWhileHoldsUpButLosesNothing) {
  std::atomic<int> failures = 0;
  RunnerOptions options = Options();
  options.on_failure = [&](const std::string& what) {
    if (!what.empty()) ++failures;
  };
  Runner runner(database.pool(), workers, options);
  runner.Start();
  jobs.Insert(SomeJobs(20));
  ASSERT_TRUE(WaitForAll(20));
  jobs.Insert(SomeJobs(20));
  database.Execute(
      "ALTER DATABASE fluxnetes SET default_transaction_read_only = on; "
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
      "WHERE pid <> pg_backend_pid() AND datname = current_database()");
  EXPECT_TRUE(WaitUntil(kPatience, [&] { return failures > 0; }));
  database.pool().CloseAll();
  database.Execute(
      "SET TRANSACTION READ WRITE; ALTER DATABASE fluxnetes "
      "RESET default_transaction_read_only");
  database.pool().CloseAll();
  EXPECT_TRUE(WaitForAll(40));
  EXPECT_TRUE(runner.Stop());
}

TEST_F(RunnerConnectivity, ALeaseInDoubtIsFoundAndGivenBack) {
  Relay relay(Server().folder());
  sql::PoolOptions through = database.options();
  through.connection = relay.connection();
  sql::Pool pool(through);
  RunnerOptions options = Options();
  options.listen = false;
  Runner runner(pool, workers, options);
  jobs.Insert(SomeJobs(3));
  // The query's name in the message that executes it, not in the one that
  // prepares it.
  relay.Arm(std::string("lease_jobs\0\0", 12), Relay::Cut::kAfterTheServer);
  runner.Start();
  EXPECT_TRUE(WaitForAll(3));
  EXPECT_TRUE(runner.Stop());
  EXPECT_EQ(database.Ask("SELECT min(attempt) FROM jobs_finished"), "2");
  EXPECT_EQ(RanCount(), 3u);
}

TEST_F(RunnerConnectivity, AResultInDoubtIsSaidAgainAndCountsOnce) {
  Relay relay(Server().folder());
  sql::PoolOptions through = database.options();
  through.connection = relay.connection();
  sql::Pool pool(through);
  RunnerOptions options = Options();
  options.listen = false;
  Runner runner(pool, workers, options);
  const auto events = runner.Subscribe();
  runner.Start();
  relay.Arm("COMMIT", Relay::Cut::kAfterTheServer);
  jobs.Insert(SomeJobs(1));
  EXPECT_TRUE(WaitForAll(1));
  const auto event = events->Next(kPatience);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind, EventKind::kCompleted);
  EXPECT_TRUE(runner.Stop());
  EXPECT_EQ(RanCount(), 1u);
}

// The long form pauses the server for 30 seconds.
TEST_F(RunnerConnectivity, APausedDatabaseHoldsUpABoundedNumberOfJobs) {
  const bool is_long = std::getenv("FLUXNETES_TEST_LONG") != nullptr;
  Workers busy;
  std::atomic<int> ended = 0;
  busy.Add("k", [&](RunningJob&) { ++ended; });
  RunnerOptions options = Options();
  options.queues = {{"q", 50}};
  options.client = {};  // its time to live passes meanwhile
  Runner runner(database.pool(), busy, options);
  const auto events = runner.Subscribe(100);
  runner.Start();
  jobs.Insert(SomeJobs(20'000));
  ASSERT_TRUE(WaitUntil(kPatience, [&] { return ended > 100; }));
  Server().Pause();
  const int before = ended;
  std::this_thread::sleep_for(std::chrono::seconds(is_long ? 30 : 5));
  // At most the jobs that were leased.
  EXPECT_LE(ended - before, 3 * 50);
  EXPECT_LE(runner.running(), 50);
  Server().Resume();
  EXPECT_TRUE(WaitForAll(20'000));
  EXPECT_TRUE(runner.Stop());
  EXPECT_GT(events->dropped(), 0);
}

}  // namespace
}  // namespace fluxnetes::queue
