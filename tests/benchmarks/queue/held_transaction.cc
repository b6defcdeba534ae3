#include <atomic>
#include <iostream>
#include <thread>

#include "tests/benchmarks/queue/bare_connection.h"
#include "tests/benchmarks/queue/job_loop.h"
#include "tests/benchmarks/queue/rows.h"
#include "tests/benchmarks/queue/sections.h"
#include "tests/support/postgres.h"

namespace fluxnetes::benchmark {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kJobsPerSecond = 2'000;
constexpr milliseconds kTick(10);
constexpr int kHeldBatch = 100;

// Inserts jobs at a fixed rate, tick by tick, from construction on.
class Producer {
 public:
  explicit Producer(const sql::PoolOptions& options)
      : loop_(LibraryLoop(options)), thread_([this] { Produce(); }) {}
  ~Producer() {
    stopping_ = true;
    thread_.join();
  }

 private:
  void Produce() {
    constexpr int kPerTick = kJobsPerSecond * kTick.count() / 1'000;
    for (auto next = Clock::now(); !stopping_; next += kTick) {
      std::this_thread::sleep_until(next);
      loop_->Insert(kPerTick);
    }
  }

  std::unique_ptr<JobLoop> loop_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

struct Window {
  double p50, p99;  // of a lease, in milliseconds
  double rate;      // jobs finished per second
};

// Leases once the previous batch is finished, at most once per tick.
Window WorkFor(JobLoop& loop, seconds duration) {
  std::vector<double> leases;
  double jobs = 0;
  const auto begin = Clock::now();
  for (auto next = begin; Clock::now() < begin + duration;) {
    const auto at = Clock::now();
    const std::vector<Leased> leased = loop.Lease(kHeldBatch);
    leases.push_back(SecondsSince(at) * 1e3);
    if (!leased.empty()) loop.Finish(leased);
    jobs += static_cast<double>(leased.size());
    if (leased.size() == kHeldBatch) continue;
    next = std::max(next + kTick, Clock::now());
    std::this_thread::sleep_until(next);
  }
  return {Percentile(leases, 0.5), Percentile(leases, 0.99),
          jobs / SecondsSince(begin)};
}

void PrintWindows(const std::vector<Window>& windows) {
  std::vector<double> p50;
  std::vector<double> p99;
  std::vector<double> rates;
  for (const Window& window : windows) {
    p50.push_back(window.p50);
    p99.push_back(window.p99);
    rates.push_back(window.rate);
  }
  Print({.name = "lease beside a held transaction, p50 of each part",
         .runs = p50,
         .unit = kMilliseconds});
  Print({.name = "lease beside a held transaction, p99 of each part",
         .runs = p99,
         .unit = kMilliseconds,
         .limit = 10});
  Print({.name = "lease beside a held transaction, p99 of the last part",
         .runs = {p99.back()},
         .unit = kMilliseconds,
         .limit = 10});
  Print({.name = "jobs finished beside a held transaction",
         .runs = rates,
         .limit = 0.95 * kJobsPerSecond});
}

}  // namespace

void MeasureHeldTransaction(const Settings& settings) {
  const seconds held(settings.brief ? 20 : 300);
  const seconds part(settings.brief ? 5 : 20);
  testing::TestDatabase database;
  const auto options = WithQueries(database.options());
  const auto loop = LibraryLoop(options);
  const Producer producer(options);
  const Window before = WorkFor(*loop, seconds(5));
  Print({.name = "lease before it, p99",
         .runs = {before.p99},
         .unit = kMilliseconds});
  // Has a snapshot and a transaction id, like a dump and a forgotten session.
  BareConnection other(options);
  other.Execute(
      "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT pg_current_xact_id()");
  std::vector<Window> windows;
  for (const auto end = Clock::now() + held; Clock::now() < end;) {
    windows.push_back(WorkFor(*loop, part));
    std::cerr << "held for " << windows.size() * part.count() << " s: p50 "
              << windows.back().p50 << " ms, p99 " << windows.back().p99
              << " ms, " << windows.back().rate << " jobs/s\n";
  }
  other.Execute("COMMIT");
  PrintWindows(windows);
}

}  // namespace fluxnetes::benchmark
