#include <algorithm>
#include <string>

#include "queue/store/work_queue.h"
#include "sql/connection/transaction.h"
#include "tests/benchmarks/queue/life_cycle.h"
#include "tests/benchmarks/queue/rows.h"
#include "tests/benchmarks/queue/sections.h"
#include "tests/support/postgres.h"

namespace fluxnetes::benchmark {
namespace {

constexpr int kBatch = 100;

void AddFinished(testing::TestDatabase& database, int thousands) {
  const auto loop = LibraryLoop(WithQueries(database.options()));
  loop->Insert(1'000);
  loop->Finish(loop->Lease(1'000));
  database.Execute(
      "INSERT INTO jobs_finished SELECT f.* FROM jobs_finished AS f, "
      "generate_series(2, " +
      std::to_string(thousands) + ")");
}

void AddScheduled(testing::TestDatabase& database, int count) {
  sql::Pool pool(WithQueries(database.options()));
  queue::NewJob job;
  job.kind = "benchmark";
  job.queue = kQueue;
  job.args = Arguments();
  job.scheduled_at = std::chrono::time_point_cast<std::chrono::microseconds>(
      std::chrono::system_clock::now() + std::chrono::hours(24));
  sql::Transaction transaction(pool);
  queue::WorkQueue(pool).InsertCopy(
      transaction,
      std::vector<queue::NewJob>(static_cast<std::size_t>(count), job));
  transaction.Commit();
}

// The limit is no slowdown: the minimum of the plain runs.
void Compare(const std::string& name, testing::TestDatabase& plain,
             testing::TestDatabase& beside, const Settings& settings) {
  const int runs = settings.brief ? 3 : 9;
  const std::chrono::milliseconds duration(settings.brief ? 200 : 700);
  const auto without = LibraryLoop(WithQueries(plain.options()));
  const auto with = LibraryLoop(WithQueries(beside.options()));
  const auto bare = BareLoop(WithQueries(beside.options()));
  std::vector<double> without_rates;
  std::vector<double> with_rates;
  std::vector<double> bare_rates;
  RunLives(*without, kBatch, duration);
  RunLives(*with, kBatch, duration);
  for (int run = 0; run < runs; ++run) {
    without_rates.push_back(RunLives(*without, kBatch, duration).whole);
    with_rates.push_back(RunLives(*with, kBatch, duration).whole);
    bare_rates.push_back(RunLives(*bare, kBatch, duration).whole);
  }
  Print({.name = name,
         .runs = with_rates,
         .limit = std::ranges::min(without_rates),
         .bare = Median(bare_rates),
         .peer = Median(without_rates)});
}

}  // namespace

void MeasureBeside(const Settings& settings) {
  testing::TestDatabase plain;
  {
    testing::TestDatabase full;
    AddFinished(full, settings.brief ? 100 : 1'000);
    sql::RunOutside(full.pool(), "VACUUM ANALYZE jobs_finished",
                    std::chrono::seconds(10));
    full.Execute("CHECKPOINT");
    Compare("whole life by 100 beside a million finished; peer: without", plain,
            full, settings);
  }
  testing::TestDatabase full;
  AddScheduled(full, settings.brief ? 10'000 : 100'000);
  full.Execute("CHECKPOINT");
  Compare("whole life by 100 beside 100,000 scheduled; peer: without", plain,
          full, settings);
}

}  // namespace fluxnetes::benchmark
