#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <random>
#include <thread>

#include "queue/catalogue.h"
#include "queue/clients/leadership.h"
#include "queue/maintenance/maintenance.h"
#include "queue/maintenance/periodic_jobs.h"
#include "sql/error.h"
#include "tests/queue/support/queue_fixture.h"
#include "tests/support/process.h"

namespace fluxnetes::queue {
namespace {

using fluxnetes::testing::PrivateServer;
using fluxnetes::testing::Process;
using fluxnetes::testing::TestDatabase;
using fluxnetes::testing::WaitUntil;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Kind = MaintenanceEvent::Kind;

constexpr seconds kMaintenancePatience{120};

class MaintenanceTest : public QueueTest {
 protected:
  // Runs every task at every turn.
  MaintenanceOptions Eager() {
    MaintenanceOptions options;
    options.interval = options.confirm = options.vacuum = milliseconds{1};
    options.partitions = options.forget = options.indexes = milliseconds{1};
    options.most_back_off = milliseconds{1};
    options.on_event = [this](const MaintenanceEvent& event) {
      events.push_back(event);
    };
    return options;
  }

  bool Told(Kind kind) const {
    return std::ranges::find(events, kind, &MaintenanceEvent::kind) !=
           events.end();
  }

  std::string Leader() { return database.Ask("SELECT client_id FROM leaders"); }

  std::vector<MaintenanceEvent> events;
};

TEST_F(MaintenanceTest, TheLeaderDoesWhatIsDue) {
  NewJob later = JobOf("later");
  later.scheduled_at = std::chrono::floor<std::chrono::microseconds>(
      std::chrono::system_clock::now() + std::chrono::hours(1));
  const auto scheduled = InsertOne(later);
  const auto lost = InsertOne(JobOf("q"));
  const auto dead = NewClient();
  LeaseOne(*dead);
  Kill(*dead);
  PeriodicJobs(database.pool(), jobs)
      .Set(std::vector<PeriodicJob>{
          {.name = "p", .schedule = "every 1h", .job = JobOf("p")}});
  database.Execute(
      "UPDATE jobs SET scheduled_at = now() "
      "WHERE queue = 'later'; "
      "UPDATE periodic_jobs SET next_at = now()");
  const auto client = NewClient();
  Maintenance maintenance(database.pool(), jobs, *client, Eager());
  EXPECT_TRUE(maintenance.RunQuick());
  EXPECT_EQ(StateOf(scheduled), "available");
  EXPECT_EQ(StateOf(lost), "available");
  EXPECT_EQ(database.Ask("SELECT count(*) FROM jobs WHERE kind = 'k' AND "
                         "queue = 'p'"),
            "1");
  EXPECT_TRUE(maintenance.RunSlow());
  EXPECT_FALSE(Told(Kind::kFailed));
}

TEST_F(MaintenanceTest, NoOneElseDoesAnything) {
  const auto first = NewClient();
  const auto second = NewClient();
  Maintenance leader(database.pool(), jobs, *first, Eager());
  Maintenance standby(database.pool(), jobs, *second, Eager());
  EXPECT_TRUE(leader.RunQuick());
  EXPECT_FALSE(standby.RunQuick());
  EXPECT_FALSE(standby.RunSlow());
  EXPECT_EQ(standby.term(), 0);
  EXPECT_TRUE(leader.RunQuick());
  EXPECT_EQ(leader.term(), 1);
}

TEST_F(MaintenanceTest, ACleanStopHandsOverAtTheNextTurn) {
  const auto first = NewClient();
  const auto second = NewClient();
  Maintenance leader(database.pool(), jobs, *first, Eager());
  Maintenance standby(database.pool(), jobs, *second, Eager());
  ASSERT_TRUE(leader.RunQuick());
  ASSERT_FALSE(standby.RunQuick());
  leader.Stop();
  EXPECT_TRUE(standby.RunQuick());
  EXPECT_EQ(standby.term(), 2);
}

TEST_F(MaintenanceTest, ADeadLeaderIsReplacedAndFindsOut) {
  const auto first = NewClient();
  const auto second = NewClient();
  Maintenance leader(database.pool(), jobs, *first, Eager());
  Maintenance standby(database.pool(), jobs, *second, Eager());
  ASSERT_TRUE(leader.RunQuick());
  Kill(*first);
  EXPECT_TRUE(standby.RunQuick());
  EXPECT_FALSE(leader.RunQuick());
  EXPECT_EQ(leader.term(), 0);
  EXPECT_TRUE(Told(Kind::kDeposed));
}

TEST_F(MaintenanceTest, AHundredResignationsInARowRecover) {
  const auto first = NewClient();
  const auto second = NewClient();
  for (int i = 0; i < 50; ++i) {
    for (const Client* client : {first.get(), second.get()}) {
      Maintenance maintenance(database.pool(), jobs, *client, Eager());
      ASSERT_TRUE(maintenance.RunQuick());
      maintenance.Stop();
    }
  }
  EXPECT_EQ(database.Ask("SELECT term FROM leaders"), "100");
  EXPECT_EQ(Leader(), "NULL");
}

TEST_F(MaintenanceTest, AHundredResignationsOfRunningThreadsRecover) {
  const auto standing_client = NewClient();
  auto options = Eager();
  options.on_event = {};
  Maintenance standing(database.pool(), jobs, *standing_client, options);
  standing.Start();
  const auto client = NewClient();
  for (int i = 0; i < 100; ++i) {
    Maintenance passing(database.pool(), jobs, *client, options);
    passing.Start();
    passing.Stop();
  }
  EXPECT_TRUE(
      WaitUntil(kMaintenancePatience, [&] { return standing.term() != 0; }));
  standing.Stop();
}

// Each leader writes, fenced, the term in which it believes to lead; the rows
// in order of id must be in order of terms.
TEST_F(MaintenanceTest, NeverTwo) {
  database.Execute(
      "CREATE TABLE reigns (id serial, term bigint, client bigint)");
  std::vector<std::jthread> threads;
  std::atomic<int> written = 0;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    threads.emplace_back([&, seed] {
      std::mt19937 random(seed);
      const auto client = NewClient();
      Leadership leadership(database.pool(), *client, "maintenance");
      while (written < 400) {
        const auto term = leadership.TryAcquire();
        if (!term) continue;
        // Another client may take over in between, as after a pause.
        if (random() % 4 == 0) {
          Kill(*client);
          std::this_thread::yield();
        }
        try {
          sql::Transaction transaction(database.pool());
          leadership.Check(transaction, *term);
          transaction.RunScript("INSERT INTO reigns (term, client) VALUES (" +
                                std::to_string(*term) + ", " +
                                std::to_string(client->id()) + ")");
          transaction.Commit();
          ++written;
        } catch (const LostTerm&) {
        }
        client->Beat();
        if (random() % 8 == 0) leadership.Resign();
      }
    });
  }
  threads.clear();
  EXPECT_EQ(database.Ask("SELECT count(*) FROM (SELECT term < lag(term) OVER "
                         "(ORDER BY id) AS back FROM reigns) AS r WHERE back"),
            "0");
  EXPECT_EQ(database.Ask("SELECT count(*) FROM (SELECT FROM reigns GROUP BY "
                         "term HAVING count(DISTINCT client) > 1) AS r"),
            "0");
  EXPECT_GT(std::stoi(database.Ask("SELECT count(DISTINCT term) FROM reigns")),
            1);
}

TEST_F(MaintenanceTest, AFailingTaskHoldsUpNoOtherAndIsToldOnce) {
  const auto client = NewClient();
  Maintenance maintenance(database.pool(), jobs, *client, Eager());
  database.Execute("ALTER TABLE periodic_jobs RENAME TO elsewhere");
  const auto later = InsertOne(JobOf("q"));
  database.Execute("UPDATE jobs SET state = 'scheduled'");
  for (int i = 0; i < 3; ++i) {
    maintenance.RunQuick();
    std::this_thread::sleep_for(milliseconds{5});
  }
  EXPECT_EQ(StateOf(later), "available");
  EXPECT_EQ(std::ranges::count(events, Kind::kFailed, &MaintenanceEvent::kind),
            1);
  database.Execute("ALTER TABLE elsewhere RENAME TO periodic_jobs");
  EXPECT_TRUE(WaitUntil(kMaintenancePatience, [&] {
    maintenance.RunQuick();
    return Told(Kind::kRecovered);
  }));
}

TEST_F(MaintenanceTest, StopEndsASlowTaskAndHandsOverBefore) {
  database.Execute(
      "CREATE INDEX jobs_lease_ccnew ON jobs (queue); UPDATE pg_index SET "
      "indisvalid = false WHERE indexrelid = 'jobs_lease_ccnew'::regclass");
  const auto client = NewClient();
  auto options = Eager();
  options.on_event = {};
  options.upkeep.lock_timeout = std::chrono::hours(1);
  Maintenance maintenance(database.pool(), jobs, *client, options);
  sql::Transaction holder(database.pool());
  holder.RunScript("SELECT count(*) FROM jobs");
  maintenance.Start();
  ASSERT_TRUE(WaitUntil(kMaintenancePatience, [&] {
    return database.Ask(
               "SELECT count(*) FROM pg_stat_activity WHERE "
               "datname = current_database() AND "
               "wait_event_type = 'Lock' AND query LIKE "
               "'DROP INDEX CONCURRENTLY%" +
               database.schema() + ".%'") == "1";
  }));
  maintenance.Stop();
  EXPECT_EQ(Leader(), "NULL");
}

TEST_F(MaintenanceTest, StoppingBeforeStartAndTwiceIsFine) {
  const auto client = NewClient();
  Maintenance maintenance(database.pool(), jobs, *client, Eager());
  maintenance.Stop();
  maintenance.Stop();
  EXPECT_EQ(database.Ask("SELECT count(*) FROM leaders"), "0");
}

TEST(MaintenanceOnAServer, ALeaderThatCannotWriteStandsDown) {
  const PrivateServer server({"fsync=off"});
  TestDatabase database(true, server.connection());
  WorkQueue jobs(database.pool());
  Client client(database.pool(), {.time_to_live = std::chrono::minutes(5)});
  client.Register();
  std::vector<MaintenanceEvent> events;
  MaintenanceOptions options;
  options.interval = options.confirm = options.most_back_off = milliseconds{1};
  options.on_event = [&](const auto& event) { events.push_back(event); };
  Maintenance maintenance(database.pool(), jobs, client, options);
  ASSERT_TRUE(maintenance.RunQuick());
  database.Execute(
      "ALTER DATABASE fluxnetes SET default_transaction_read_only = on");
  database.pool().CloseAll();
  std::this_thread::sleep_for(milliseconds{5});  // until it must confirm
  EXPECT_FALSE(maintenance.RunQuick());
  EXPECT_EQ(maintenance.term(), 0);
  EXPECT_EQ(database.Ask("SELECT client_id IS NOT NULL FROM leaders"), "t")
      << "nobody could say otherwise";
  database.Execute(
      "SET TRANSACTION READ WRITE; ALTER DATABASE fluxnetes "
      "RESET default_transaction_read_only");
  EXPECT_TRUE(
      WaitUntil(kMaintenancePatience, [&] { return maintenance.RunQuick(); }));
}

// The program of the processes below: maintains the schema until SIGTERM.
TEST(MaintenanceProcess, DISABLED_MaintainsUntilItIsTerminated) {
  const char* schema = std::getenv("MAINTAINED_SCHEMA");
  ASSERT_NE(schema, nullptr);
  sigset_t terminate;
  sigemptyset(&terminate);
  sigaddset(&terminate, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &terminate, nullptr);
  sql::PoolOptions options;
  options.connection = std::getenv("MAINTAINED_DATABASE");
  options.schema = schema;
  options.catalogues = {Catalogue()};
  sql::Pool pool(options);
  WorkQueue jobs(pool);
  // Long enough not to expire on a busy machine.
  Client client(pool, {.time_to_live = milliseconds{5'000},
                       .heartbeat = milliseconds{300}});
  client.Start();
  Maintenance maintenance(pool, jobs, client, {.interval = milliseconds{50}});
  maintenance.Start();
  int signal = 0;
  sigwait(&terminate, &signal);
  maintenance.Stop();
  client.Stop();
}

class MaintenanceProcesses : public MaintenanceTest {
 protected:
  std::unique_ptr<Process> NewProcess() {
    return std::make_unique<Process>(
        std::vector<std::string>{"/proc/self/exe",
                                 "--gtest_also_run_disabled_tests",
                                 "--gtest_filter=MaintenanceProcess.*"},
        std::map<std::string, std::string>{
            {"MAINTAINED_SCHEMA", database.schema()},
            {"MAINTAINED_DATABASE", database.options().connection}},
        "/dev/null");
  }

  std::string Term() { return database.Ask("SELECT term FROM leaders"); }

  // Waits until a living client leads in a later term.
  bool WaitForTerm(int term) {
    return WaitUntil(kMaintenancePatience, [&] {
      return database.Ask(
                 "SELECT count(*) FROM leaders WHERE client_id IS NOT "
                 "NULL AND term >= " +
                 std::to_string(term)) == "1";
    });
  }

  void SetTicking() {
    PeriodicJobs(database.pool(), jobs)
        .Set(std::vector<PeriodicJob>{
            {.name = "tick", .schedule = "every 1s", .job = JobOf("p")}});
  }

  bool WaitForTicks(int more) {
    const int before = Ticks();
    return WaitUntil(kMaintenancePatience,
                     [&] { return Ticks() >= before + more; });
  }

  int Ticks() { return std::stoi(database.Ask("SELECT count(*) FROM jobs")); }

  std::string TicksTwice() {
    return database.Ask(
        "SELECT count(*) FROM (SELECT FROM jobs GROUP BY "
        "metadata ->> 'tick' HAVING count(*) > 1) AS t");
  }
};

TEST_F(MaintenanceProcesses, AKilledLeaderIsReplacedWithinItsTimeToLive) {
  SetTicking();
  auto leader = NewProcess();
  ASSERT_TRUE(WaitForTerm(1));
  const auto standby = NewProcess();
  ASSERT_TRUE(WaitUntil(kMaintenancePatience, [&] {
    return database.Ask("SELECT count(*) FROM clients") == "2";
  }));
  const std::string old = Leader();
  leader->Kill();
  const std::string died = database.Ask(
      "SELECT heartbeat_at + time_to_live FROM clients WHERE id = " + old);
  ASSERT_TRUE(WaitForTerm(2));
  EXPECT_EQ(database.Ask("SELECT acquired_at >= '" + died + "' FROM leaders"),
            "t")
      << "not before";
  // A busy machine may take long; an idle one needs one turn.
  EXPECT_EQ(database.Ask("SELECT acquired_at < '" + died +
                         "'::timestamptz + interval '60 s' FROM leaders"),
            "t");
  EXPECT_TRUE(WaitForTicks(2));
  EXPECT_EQ(TicksTwice(), "0");
}

TEST_F(MaintenanceProcesses, SigstopPastTheTimeToLiveAndBackDoesNoHarm) {
  SetTicking();
  const auto leader = NewProcess();
  ASSERT_TRUE(WaitForTerm(1));
  ASSERT_TRUE(WaitForTicks(1));
  const auto standby = NewProcess();
  leader->Signal(SIGSTOP);
  ASSERT_TRUE(WaitForTerm(2));
  const std::string ruler = Leader();
  ASSERT_TRUE(WaitForTicks(2));
  leader->Signal(SIGCONT);
  ASSERT_TRUE(WaitUntil(kMaintenancePatience, [&] {
    return database.Ask("SELECT count(*) FROM clients") == "2";
  })) << "it registers anew";
  ASSERT_TRUE(WaitForTicks(2));
  EXPECT_EQ(Leader(), ruler);
  EXPECT_EQ(Term(), "2");
  EXPECT_EQ(TicksTwice(), "0");
}

TEST_F(MaintenanceProcesses, OneThatIsToldToEndLeavesNothingBehind) {
  auto leader = NewProcess();
  ASSERT_TRUE(WaitForTerm(1));
  leader->Signal(SIGTERM);
  EXPECT_EQ(leader->WaitForEnd(kMaintenancePatience), 0);
  EXPECT_EQ(Leader(), "NULL");
  EXPECT_EQ(database.Ask("SELECT count(*) FROM clients"), "0");
}

}  // namespace
}  // namespace fluxnetes::queue
