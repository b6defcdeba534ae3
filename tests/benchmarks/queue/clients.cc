#include <fmt/format.h>

#include <functional>
#include <optional>
#include <thread>

#include "tests/benchmarks/queue/job_loop.h"
#include "tests/benchmarks/queue/rows.h"
#include "tests/benchmarks/queue/sections.h"
#include "tests/support/postgres.h"

namespace fluxnetes::benchmark {
namespace {

using Loops = std::vector<std::unique_ptr<JobLoop>>;
using Clock = std::chrono::steady_clock;

// A client may lease jobs of another, so a batch may be short; leftover jobs
// are for the next run.
double JobsFinished(JobLoop& loop, int batch, Clock::time_point end) {
  double jobs = 0;
  while (Clock::now() < end) {
    loop.Insert(batch);
    const std::vector<Leased> leased = loop.Lease(batch);
    if (!leased.empty()) loop.Finish(leased);
    jobs += static_cast<double>(leased.size());
  }
  return jobs;
}

double RunAll(const Loops& loops, int batch,
              std::chrono::milliseconds duration) {
  std::vector<double> jobs(loops.size());
  std::vector<std::thread> threads;
  const auto begin = Clock::now();
  for (std::size_t i = 0; i < loops.size(); ++i)
    threads.emplace_back(
        [&, i] { jobs[i] = JobsFinished(*loops[i], batch, begin + duration); });
  for (std::thread& thread : threads) thread.join();
  double sum = 0;
  for (const double count : jobs) sum += count;
  return sum / SecondsSince(begin);
}

Loops Make(int clients, const std::function<std::unique_ptr<JobLoop>()>& one) {
  Loops loops;
  for (int i = 0; i < clients; ++i) loops.push_back(one());
  return loops;
}

void Measure(int clients, int batch, std::optional<double> limit,
             const Settings& settings) {
  const int runs = settings.brief ? 1 : 5;
  const std::chrono::milliseconds duration(settings.brief ? 300 : 1'000);
  testing::TestDatabase mine;
  testing::TestDatabase its;
  const auto library =
      Make(clients, [&] { return LibraryLoop(WithQueries(mine.options())); });
  const auto bare =
      Make(clients, [&] { return BareLoop(WithQueries(its.options())); });
  std::vector<double> library_rates;
  std::vector<double> bare_rates;
  for (int run = 0; run < runs; ++run) {
    library_rates.push_back(RunAll(library, batch, duration));
    bare_rates.push_back(RunAll(bare, batch, duration));
  }
  Print({.name = fmt::format("whole life by {}, {} clients", batch, clients),
         .runs = library_rates,
         .limit = limit,
         .bare = Median(bare_rates)});
}

}  // namespace

void MeasureClients(const Settings& settings) {
  Measure(1, 100, {}, settings);
  Measure(2, 100, 40'000, settings);  // one per core
  Measure(4, 100, {}, settings);
  Measure(8, 100, {}, settings);
  Measure(2, 1'000, 65'000, settings);
}

}  // namespace fluxnetes::benchmark
