// Several instances in one database, each in a schema with any name.

#include <atomic>

#include "migrations/migrations.h"
#include "queue/control/inspection.h"
#include "queue/maintenance/maintenance.h"
#include "sql/connection/listener.h"
#include "sql/schema/migrator.h"
#include "tests/queue/runner/runner_fixture.h"

namespace fluxnetes::queue {
namespace {

class Schemas : public RunnerTest {
 protected:
  // Drops the schema of the other instance.
  ~Schemas() override {
    database.Execute("DROP SCHEMA IF EXISTS " + quoted + " CASCADE");
  }

  // Makes another instance in the same database, with a name that needs quotes.
  sql::PoolOptions Another() {
    sql::PoolOptions options = database.options();
    options.schema += " \"Two\" O'Words.jobs";
    sql::PoolOptions bare = options;
    bare.catalogues = {};
    sql::Pool pool(bare);
    sql::Migrator(pool, migrations::All()).Up();
    return options;
  }

  const std::string quoted =
      '"' + database.schema() + R"( ""Two"" O'Words.jobs")";
};

TEST_F(Schemas, AJobIsWorkedInASchemaWhoseNameNeedsQuotes) {
  sql::Pool pool(Another());
  Workers workers;
  workers.Add("k", [](RunningJob&) {});
  RunnerOptions options = Options();
  options.poll = std::chrono::hours(1);  // notifications only
  Runner runner(pool, workers, options);
  runner.Start();
  const auto id = WorkQueue(pool).Insert(std::vector{JobOf("q")}).at(0).id;
  EXPECT_TRUE(fluxnetes::testing::WaitUntil(kPatience, [&] {
    sql::Transaction transaction(pool);
    return FindJobs(transaction, std::vector{id}).at(0).state == "completed";
  }));
  EXPECT_EQ(StateOf(id), "");  // this instance has no such job
}

TEST_F(Schemas, ALeaderKeepsOneInOrderWhoseNameNeedsQuotes) {
  sql::Pool pool(Another());
  Client leader(pool, {.time_to_live = std::chrono::minutes(5)});
  leader.Register();
  WorkQueue queue(pool);
  std::string failures;
  MaintenanceOptions options;
  options.on_event = [&](const MaintenanceEvent& event) {
    if (event.kind == MaintenanceEvent::Kind::kFailed)
      failures += event.task + ": " + event.text + '\n';
  };
  Maintenance maintenance(pool, queue, leader, options);
  EXPECT_TRUE(maintenance.RunQuick());
  EXPECT_TRUE(maintenance.RunSlow());
  EXPECT_EQ(failures, "");
}

TEST_F(Schemas, TwoInOneDatabaseShareNoJobAndNoBell) {
  sql::Pool pool(Another());
  std::atomic<int> here = 0;
  std::atomic<int> there = 0;
  std::atomic<int> connected = 0;
  sql::Listener ours(database.options());
  sql::Listener theirs(pool.options());
  ours.On("jobs", [&](const std::string& queue) {
    ++(queue.empty() ? connected : here);
  });
  theirs.On("jobs", [&](const std::string& queue) {
    ++(queue.empty() ? connected : there);
  });
  ours.Start();
  theirs.Start();
  ASSERT_TRUE(
      fluxnetes::testing::WaitUntil(kPatience, [&] { return connected == 2; }));
  WorkQueue queue(pool);
  queue.Insert(std::vector{JobOf("q")});
  queue.Insert(std::vector{JobOf("q")});
  InsertOne(JobOf("q"));
  ASSERT_TRUE(fluxnetes::testing::WaitUntil(
      kPatience, [&] { return here == 1 && there == 2; }));
  const auto client = NewClient();
  EXPECT_EQ(jobs.Lease("q", client->id(), 10).size(), 1U);
  ours.Stop();
  theirs.Stop();
  EXPECT_EQ(here, 1);
  EXPECT_EQ(there, 2);
}

}  // namespace
}  // namespace fluxnetes::queue
