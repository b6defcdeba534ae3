// A lost connection, a restart and a read-only server do no harm to jobs.

#include <algorithm>
#include <thread>

#include "queue/clients/batch_lease.h"
#include "queue/clients/handover.h"
#include "queue/clients/leadership.h"
#include "sql/error.h"
#include "tests/queue/support/queue_fixture.h"
#include "tests/support/process.h"
#include "tests/support/relay.h"

namespace fluxnetes::queue {
namespace {

using fluxnetes::testing::PrivateServer;
using fluxnetes::testing::Relay;
using fluxnetes::testing::TestDatabase;
using fluxnetes::testing::WaitUntil;

std::vector<NewJob> NewJobs(int count) {
  NewJob job;
  job.kind = "k";
  job.queue = "q";
  return std::vector<NewJob>(count, job);
}

// A worker that keeps its results until the queue has accepted them.
class LostClient {
 public:
  LostClient(WorkQueue& jobs, Client& client) : jobs_(jobs), client_(client) {}

  // Returns the number of jobs that it finished.
  int Turn() {
    client_.Beat();
    jobs_.Rescue();
    if (results_.empty())
      for (const Job& job : jobs_.Lease("q", client_.id(), 3))
        results_.push_back({.id = job.id, .attempt = job.attempt});
    const auto accepted = jobs_.Finish(results_);
    results_.clear();
    return static_cast<int>(std::ranges::count(accepted, true));
  }

 private:
  WorkQueue& jobs_;
  Client& client_;
  std::vector<JobResult> results_;
};

class Connectivity : public ::testing::Test {
 protected:
  // One server for all of these tests; each test must leave it running.
  static PrivateServer& Server() {
    static PrivateServer server({"fsync=off"});
    return server;
  }

  TestDatabase database{true, Server().connection()};
  WorkQueue jobs{database.pool()};
  Client client{database.pool(), {.time_to_live = std::chrono::minutes(5)}};
  LostClient worker{jobs, client};
};

TEST_F(Connectivity, EveryConnectionMayBeTerminatedAtAnyTime) {
  jobs.Insert(NewJobs(300));
  client.Register();
  TestDatabase killer(false, Server().connection());
  std::jthread killing([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      killer.Ask(
          "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
          "WHERE pid <> pg_backend_pid() AND datname = current_database()");
    }
  });
  for (int failures = 0; failures < 30;) {
    try {
      worker.Turn();
    } catch (const sql::Error&) {
      ++failures;
    }
  }
  killing.request_stop();
  killing.join();
  // The last connection killed may be noticed only now.
  EXPECT_TRUE(WaitUntil(std::chrono::seconds(120), [&] {
    try {
      worker.Turn();
      return database.Ask("SELECT count(*) FROM jobs") == "0";
    } catch (const sql::Error&) {
      return false;
    }
  }));
  EXPECT_EQ(database.Ask("SELECT count(DISTINCT id) FROM jobs_finished"),
            "300");
  EXPECT_EQ(database.Ask("SELECT count(*) FROM jobs_finished"), "300");
}

TEST_F(Connectivity, ARestartOfTheServerLosesNoJob) {
  jobs.Insert(NewJobs(20));
  client.Register();
  const auto leased = jobs.Lease("q", client.id(), 5);
  Server().Restart();
  std::vector<JobResult> results;
  for (const Job& job : leased)
    results.push_back({.id = job.id, .attempt = job.attempt});
  EXPECT_EQ(jobs.Finish(results), std::vector<bool>(5, true));
  for (int done = 0; done < 15;) done += worker.Turn();
  EXPECT_EQ(database.Ask("SELECT count(*) FROM jobs"), "0");
}

TEST_F(Connectivity, AServerThatIsReadOnlyForAWhileLosesNoJob) {
  jobs.Insert(NewJobs(5));
  client.Register();
  database.Execute(
      "ALTER DATABASE fluxnetes "
      "SET default_transaction_read_only = on");
  database.pool().CloseAll();
  try {
    jobs.Lease("q", client.id(), 5);
    ADD_FAILURE() << "a lease was written";
  } catch (const sql::Error& error) {
    EXPECT_EQ(error.kind(), sql::Error::Kind::kUnavailable);
    EXPECT_TRUE(error.MayRetry());
  }
  Leadership leadership(database.pool(), client, "match");
  EXPECT_THROW(leadership.TryAcquire(), sql::Error);
  database.Execute(
      "SET TRANSACTION READ WRITE; ALTER DATABASE fluxnetes "
      "RESET default_transaction_read_only");
  // The connection just used is still read-only: it fails once and is closed.
  EXPECT_THROW(worker.Turn(), sql::Error);
  for (int done = 0; done < 5;) done += worker.Turn();
  EXPECT_EQ(database.Ask("SELECT count(*) FROM jobs"), "0");
}

TEST_F(Connectivity, ALeaseInDoubtIsGivenBackAndTakenAnew) {
  jobs.Insert(NewJobs(3));
  Relay relay(Server().folder());
  sql::PoolOptions options = database.options();
  options.connection = relay.connection();
  sql::Pool pool(options);
  WorkQueue doubtful(pool);
  client.Register();
  const auto before = client.id();
  EXPECT_TRUE(doubtful.Lease("none", client.id(), 1).empty());
  relay.Arm("lease_jobs", Relay::Cut::kAfterTheServer);
  try {
    doubtful.Lease("q", client.id(), 2);
    FAIL();
  } catch (const sql::Error& error) {
    EXPECT_TRUE(error.InDoubt());
  }
  EXPECT_EQ(database.Ask("SELECT count(*) FROM jobs WHERE state = 'running'"),
            "2");
  EXPECT_TRUE(doubtful.Lease("q", client.id(), 3).empty());
  client.Beat();
  EXPECT_NE(client.id(), before);
  EXPECT_EQ(jobs.Rescue(), 2);
  EXPECT_EQ(doubtful.Lease("q", client.id(), 3).size(), 3u);
}

TEST_F(Connectivity, AHandoverInDoubtIsGivenBackAndTakenAnew) {
  Relay relay(Server().folder());
  sql::PoolOptions options = database.options();
  options.connection = relay.connection();
  sql::Pool pool(options);
  client.Register();
  const auto before = client.id();
  Handover handover(jobs, client, 10);
  BatchLease batch(jobs, client, "q", sql::Durability::kWait, &handover);
  {
    sql::Transaction transaction(pool);
    handover.Insert(transaction, NewJobs(2));
    relay.Arm("COMMIT", Relay::Cut::kAfterTheServer);
    try {
      transaction.Commit();
      FAIL();
    } catch (const sql::Error& error) {
      EXPECT_TRUE(error.InDoubt());
    }
  }
  EXPECT_EQ(database.Ask("SELECT count(*) FROM jobs WHERE state = 'running'"),
            "2");
  EXPECT_TRUE(batch.Lease(2).empty());
  client.Beat();
  EXPECT_NE(client.id(), before);
  EXPECT_EQ(jobs.Rescue(), 2);
  EXPECT_EQ(batch.Lease(2).size(), 2u);
}

TEST_F(Connectivity, ARoleWithoutRightsIsToldSo) {
  database.Execute("DROP ROLE IF EXISTS nobody; CREATE ROLE nobody LOGIN");
  sql::PoolOptions options = database.options();
  options.connection =
      "host=" + Server().folder() + " user=nobody dbname=fluxnetes";
  sql::Pool pool(options);
  try {
    WorkQueue(pool).Lease("q", 1, 1);
    FAIL();
  } catch (const sql::Error& error) {
    EXPECT_EQ(error.kind(), sql::Error::Kind::kStatement);
    EXPECT_NE(std::string(error.what()).find("may this role use it"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace fluxnetes::queue
