// A real streaming replica is promoted while jobs run: with synchronous
// replication nothing acknowledged is lost, and no manual step is needed.

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include "queue/clients/client.h"
#include "queue/maintenance/maintenance.h"
#include "sql/error.h"
#include "sql/mutex.h"
#include "tests/queue/support/queue_fixture.h"
#include "tests/support/process.h"
#include "tests/support/replica.h"

namespace fluxnetes::queue {
namespace {

using fluxnetes::testing::Crash;
using fluxnetes::testing::PrivateServer;
using fluxnetes::testing::Replica;
using fluxnetes::testing::TestDatabase;
using fluxnetes::testing::WaitUntil;

constexpr std::chrono::seconds kFailoverPatience{180};

// The inserts and results that the queue has acknowledged.
struct Acknowledged {
  sql::Mutex mutex;
  std::set<std::int64_t> inserted GUARDED_BY(mutex);
  std::set<std::int64_t> finished GUARDED_BY(mutex);

  std::size_t Count(const std::set<std::int64_t> Acknowledged::*what) {
    const sql::MutexLock lock(mutex);
    return (this->*what).size();
  }
};

void InsertOn(const std::stop_token& stop, const sql::PoolOptions& options,
              Acknowledged& acknowledged) {
  sql::Pool pool(options);
  WorkQueue jobs(pool);
  const std::vector<NewJob> some(5, {.kind = "k", .queue = "q"});
  while (!stop.stop_requested()) {
    try {
      const auto inserted = jobs.Insert(some);
      const sql::MutexLock lock(acknowledged.mutex);
      for (const Inserted& one : inserted) acknowledged.inserted.insert(one.id);
    } catch (const sql::Error&) {
      fluxnetes::testing::PauseBetweenLooks();
    }
  }
}

void WorkOn(const std::stop_token& stop, const sql::PoolOptions& options,
            Acknowledged& acknowledged) {
  sql::Pool pool(options);
  WorkQueue jobs(pool);
  Client client(pool, {});
  client.Start();
  Maintenance maintenance(pool, jobs, client, {});
  maintenance.Start();
  std::vector<JobResult> results;  // kept until the queue has accepted them
  while (!stop.stop_requested()) {
    try {
      if (results.empty())
        for (const Job& job : jobs.Lease("q", client.id(), 10))
          results.push_back({.id = job.id, .attempt = job.attempt});
      if (results.empty()) fluxnetes::testing::PauseBetweenLooks();
      const auto accepted = jobs.Finish(results);
      const sql::MutexLock lock(acknowledged.mutex);
      for (std::size_t i = 0; i < results.size(); ++i)
        if (accepted[i]) acknowledged.finished.insert(results[i].id);
      results.clear();
    } catch (const sql::Error&) {
      fluxnetes::testing::PauseBetweenLooks();
    }
  }
  maintenance.Stop();
  client.Stop();
}

// Makes the replica the synchronous standby.
void Synchronize(PrivateServer& primary, const Replica& replica) {
  TestDatabase database(false, primary.connection());
  sql::RunOutside(database.pool(),
                  "ALTER SYSTEM SET synchronous_standby_names = 'replica'", {});
  database.Execute("SELECT pg_reload_conf()");
  ASSERT_TRUE(WaitUntil(kFailoverPatience, [&] {
    return database.Ask("SELECT sync_state FROM pg_stat_replication") == "sync";
  })) << replica.folder();
}

TEST(Failover, NothingAcknowledgedIsLostWhenASynchronousReplicaIsPromoted) {
  PrivateServer primary({"fsync=off"});
  TestDatabase before(true, primary.connection());
  Replica replica(primary);
  Synchronize(primary, replica);
  sql::PoolOptions options = before.options();
  options.connection = "host=" + primary.folder() + "," + replica.folder() +
                       " user=postgres dbname=fluxnetes "
                       "target_session_attrs=read-write";
  Acknowledged acknowledged;
  std::vector<std::jthread> inserters;
  std::vector<std::jthread> workers;
  for (int i = 0; i < 2; ++i) {
    inserters.emplace_back([&](const std::stop_token& stop) {
      InsertOn(stop, options, acknowledged);
    });
    workers.emplace_back([&](const std::stop_token& stop) {
      WorkOn(stop, options, acknowledged);
    });
  }
  const auto more = [&](const std::set<std::int64_t> Acknowledged::*what) {
    const std::size_t had = acknowledged.Count(what);
    return WaitUntil(kFailoverPatience,
                     [&] { return acknowledged.Count(what) >= had + 100; });
  };
  EXPECT_TRUE(more(&Acknowledged::inserted));
  EXPECT_TRUE(more(&Acknowledged::finished));
  Crash(primary);
  replica.Promote();
  EXPECT_TRUE(more(&Acknowledged::inserted));
  EXPECT_TRUE(more(&Acknowledged::finished));
  inserters.clear();

  sql::PoolOptions after = before.options();
  after.connection = replica.connection();
  sql::Pool pool(after);
  const auto ask = [&](const std::string& question) {
    sql::Transaction transaction(pool);
    return transaction.RunScript(question)[0].Get<std::int64_t>(0);
  };
  EXPECT_TRUE(WaitUntil(kFailoverPatience, [&] {
    return ask("SELECT count(*) FROM jobs") == 0;
  })) << "what a lost lease held is worked as well";
  workers.clear();
  sql::Transaction transaction(pool);
  std::multiset<std::int64_t> there;
  for (const sql::Row row : transaction.RunScript(
           "SELECT id FROM jobs_finished WHERE state = 'completed'"))
    there.insert(row.Get<std::int64_t>(0));
  const sql::MutexLock lock(acknowledged.mutex);
  EXPECT_TRUE(std::ranges::includes(there, acknowledged.inserted));
  EXPECT_TRUE(std::ranges::includes(there, acknowledged.finished));
  EXPECT_EQ(std::set(there.begin(), there.end()).size(), there.size())
      << "each ended once";
}

}  // namespace
}  // namespace fluxnetes::queue
