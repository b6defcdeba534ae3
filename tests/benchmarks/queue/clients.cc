#include <fmt/format.h>

#include <functional>
#include <thread>

#include "tests/benchmarks/queue/job_loop.h"
#include "tests/benchmarks/queue/rows.h"
#include "tests/benchmarks/queue/sections.h"
#include "tests/support/postgres.h"

namespace fluxnetes::benchmark {
namespace {

using Loops = std::vector<std::unique_ptr<JobLoop>>;
using Clock = std::chrono::steady_clock;

constexpr int kBatch = 100;

// One takes what another inserted, so a batch may be short; what is left over
// is for the next run.
double JobsFinished(JobLoop& loop, Clock::time_point end) {
  double jobs = 0;
  while (Clock::now() < end) {
    loop.Insert(kBatch);
    const std::vector<Leased> leased = loop.Lease(kBatch);
    if (!leased.empty()) loop.Finish(leased);
    jobs += static_cast<double>(leased.size());
  }
  return jobs;
}

double RunAll(const Loops& loops, std::chrono::milliseconds duration) {
  std::vector<double> jobs(loops.size());
  std::vector<std::thread> threads;
  const auto begin = Clock::now();
  for (std::size_t i = 0; i < loops.size(); ++i)
    threads.emplace_back(
        [&, i] { jobs[i] = JobsFinished(*loops[i], begin + duration); });
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

}  // namespace

void MeasureClients(const Settings& settings) {
  const int runs = settings.brief ? 1 : 5;
  const std::chrono::milliseconds duration(settings.brief ? 300 : 1'000);
  for (const int clients : {1, 2, 4, 8}) {
    testing::TestDatabase mine;
    testing::TestDatabase its;
    const auto library =
        Make(clients, [&] { return LibraryLoop(WithQueries(mine.options())); });
    const auto bare =
        Make(clients, [&] { return BareLoop(WithQueries(its.options())); });
    std::vector<double> library_rates;
    std::vector<double> bare_rates;
    for (int run = 0; run < runs; ++run) {
      library_rates.push_back(RunAll(library, duration));
      bare_rates.push_back(RunAll(bare, duration));
    }
    Print({.name = fmt::format("whole life by {}, {} clients", kBatch, clients),
           .runs = library_rates,
           .bare = Median(bare_rates)});
  }
}

}  // namespace fluxnetes::benchmark
