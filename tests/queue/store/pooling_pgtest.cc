// The work queue behind a real pgbouncer in transaction pooling mode: without
// prepared queries, session settings or LISTEN.

#include <algorithm>
#include <thread>

#include "migrations/migrations.h"
#include "queue/catalogue.h"
#include "queue/clients/leadership.h"
#include "queue/control/job_control.h"
#include "queue/maintenance/retention.h"
#include "sql/connection/listener.h"
#include "sql/error.h"
#include "sql/schema/migrator.h"
#include "tests/queue/support/queue_fixture.h"
#include "tests/support/pgbouncer.h"

namespace fluxnetes::queue {
namespace {

using fluxnetes::testing::PgBouncer;
using fluxnetes::testing::PrivateServer;
using fluxnetes::testing::TestDatabase;

std::vector<NewJob> SomeJobs(int count) {
  return std::vector<NewJob>(count, {.kind = "k", .queue = "q"});
}

class Pooling : public ::testing::Test {
 protected:
  static PrivateServer& Server() {
    static PrivateServer server({"fsync=off"});
    return server;
  }

  void SetUp() override {
    if (!PgBouncer::IsInstalled()) GTEST_SKIP() << PgBouncer::kMissing;
    proxy = std::make_unique<PgBouncer>(Server().folder());
    pool = std::make_unique<sql::Pool>(Options());
  }

  sql::PoolOptions Options() {
    sql::PoolOptions options = database.options();
    options.connection = proxy->connection();
    options.transaction_pooling = true;
    return options;
  }

  TestDatabase database{true, Server().connection()};
  std::unique_ptr<PgBouncer> proxy;
  std::unique_ptr<sql::Pool> pool;
};

TEST_F(Pooling, ManyClientsWorkEachJobOnceOnFewConnections) {
  constexpr int kClients = 12;
  constexpr int kJobs = 600;
  std::atomic<int> finished = 0;
  {
    WorkQueue jobs(*pool);
    jobs.Insert(SomeJobs(kJobs));
  }
  std::vector<std::jthread> threads;
  for (int i = 0; i < kClients; ++i) {
    threads.emplace_back([&] {
      sql::Pool own(Options());
      WorkQueue jobs(own);
      Client client(own, {.time_to_live = std::chrono::minutes(5)});
      client.Register();
      while (finished < kJobs) {
        std::vector<JobResult> results;
        for (const Job& job : jobs.Lease("q", client.id(), 10))
          results.push_back({.id = job.id, .attempt = job.attempt});
        const auto accepted = jobs.Finish(results);
        finished += static_cast<int>(std::ranges::count(accepted, true));
      }
      client.Stop();
    });
  }
  threads.clear();
  EXPECT_EQ(finished, kJobs);
  EXPECT_EQ(database.Ask("SELECT count(DISTINCT id) FROM jobs_finished"),
            std::to_string(kJobs));
  EXPECT_LE(std::stoi(database.Ask("SELECT count(*) FROM pg_stat_activity "
                                   "WHERE backend_type = 'client backend'")),
            5);
}

TEST_F(Pooling, EveryQueryIsOneThatTheServerTakes) {
  WorkQueue jobs(*pool);
  Client client(*pool, {});
  client.Start();
  std::vector<std::int64_t> ids;
  for (const Inserted& job : jobs.Insert(SomeJobs(4))) ids.push_back(job.id);
  const auto leased = jobs.Lease("q", client.id(), 2);
  jobs.Finish(std::vector<JobResult>{
      {.id = leased[0].id, .attempt = 1, .outcome = Outcome::kFailed},
      {.id = leased[1].id, .attempt = 1, .outcome = Outcome::kSnoozed}});
  jobs.Pause("q");
  jobs.Resume("q");
  sql::Transaction transaction(*pool);
  EXPECT_EQ(JobControl::Cancel(transaction, ids),
            std::vector(4, Changed::kDone));
  transaction.Commit();
  jobs.MakeDueAvailable();
  jobs.Rescue();
  Leadership leadership(*pool, client, "maintenance");
  const auto term = leadership.TryAcquire();
  ASSERT_TRUE(term.has_value());
  {
    sql::Transaction fenced(*pool);
    leadership.Check(fenced, *term);
  }
  leadership.Resign();
  client.Stop();
  EXPECT_EQ(database.Ask("SELECT count(*) FROM clients"), "0");
}

TEST_F(Pooling, SettingsHoldInEachTransactionAndDoNotLeak) {
  TestDatabase other(true, Server().connection());
  sql::PoolOptions options = other.options();
  options.connection = proxy->connection();
  options.transaction_pooling = true;
  options.statement_timeout = std::chrono::milliseconds(12'345);
  sql::Pool second(options);
  for (int i = 0; i < 10; ++i) {
    sql::Transaction ours(*pool);
    EXPECT_EQ(ours.RunScript("SELECT current_schema()")[0].Get<std::string>(0),
              database.schema());
    sql::Transaction theirs(second);
    EXPECT_EQ(theirs.RunScript("SHOW statement_timeout")[0].Get<std::string>(0),
              "12345ms");
    EXPECT_EQ(
        theirs.RunScript("SELECT current_schema()")[0].Get<std::string>(0),
        other.schema());
  }
  sql::PoolOptions plain = options;
  plain.transaction_pooling = true;
  plain.statement_timeout = {};
  sql::Pool third(plain);
  sql::Transaction transaction(third);
  EXPECT_EQ(
      transaction.RunScript("SHOW statement_timeout")[0].Get<std::string>(0),
      "0");
}

TEST_F(Pooling, MigrationsAndRetentionGoThroughIt) {
  sql::PoolOptions options = Options();
  options.schema = database.schema() + "_pooled";
  options.catalogues.clear();
  sql::Pool bare(options);
  EXPECT_EQ(sql::Migrator(bare, migrations::All()).Up().size(),
            migrations::All().size());
  EXPECT_EQ(sql::Migrator(bare, migrations::All()).Validate(),
            sql::SchemaState::kCurrent);
  options.catalogues = {Catalogue()};
  sql::Pool pooled(options);
  Retention retention(pooled, {.tables = {{"jobs_finished_completed", -1}}});
  EXPECT_GE(retention.RunOnce().dropped, 1);
  database.Execute("SET LOCAL client_min_messages = error; DROP SCHEMA " +
                   options.schema + " CASCADE");
}

TEST_F(Pooling, AListenerIsSilentAndAPollFindsTheJobs) {
  bool heard = false;
  sql::Listener listener(Options());
  listener.On("jobs", [&](const std::string&) { heard = true; });
  listener.Start();
  WorkQueue jobs(*pool);
  Client client(*pool, {.time_to_live = std::chrono::minutes(5)});
  client.Register();
  jobs.Insert(SomeJobs(1));
  EXPECT_EQ(jobs.Lease("q", client.id(), 1).size(), 1u);
  listener.Stop();
  EXPECT_FALSE(heard);
  client.Stop();
}

}  // namespace
}  // namespace fluxnetes::queue
