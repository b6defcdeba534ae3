#include <poll.h>

#include <atomic>
#include <functional>
#include <thread>

#include "queue/runner/runner.h"
#include "queue/store/job_notifier.h"
#include "queue/store/jobs_queries.h"
#include "queue/store/work_queue.h"
#include "tests/benchmarks/queue/bare_connection.h"
#include "tests/benchmarks/queue/job_loop.h"
#include "tests/benchmarks/queue/rows.h"
#include "tests/benchmarks/queue/sections.h"
#include "tests/support/postgres.h"

namespace fluxnetes::benchmark {
namespace {

using Clock = std::chrono::steady_clock;

// Returns the milliseconds from the insert call until a worker has the job, one
// job at a time; the worker increments `started`.
std::vector<double> Measure(const std::function<void()>& insert,
                            const std::atomic<int>& started, int samples) {
  std::vector<double> latencies;
  for (int i = 0; i < samples; ++i) {
    // Lets the queue become idle, out of step with any timer.
    std::this_thread::sleep_for(
        std::chrono::microseconds(7'000 + i * 13 % 991));
    const int before = started;
    const auto begin = Clock::now();
    insert();
    started.wait(before);
    latencies.push_back(SecondsSince(begin) * 1e3);
  }
  return latencies;
}

std::vector<double> OfLibrary(const sql::PoolOptions& options, int samples) {
  sql::Pool pool(options);
  queue::JobNotifier notifier(pool);
  notifier.Start();
  queue::WorkQueue jobs(pool, &notifier);
  std::atomic<int> started = 0;
  queue::Workers workers;
  workers.Add("benchmark", [&](queue::RunningJob&) {
    started.fetch_add(1);
    started.notify_all();
  });
  queue::Runner runner(pool, workers, {.queues = {{kQueue, 10}}});
  runner.Start();
  queue::NewJob job;
  job.kind = "benchmark";
  job.queue = kQueue;
  job.args = Arguments();
  const std::vector<queue::NewJob> batch{job};
  auto latencies = Measure([&] { jobs.Insert(batch); }, started, samples);
  runner.Stop();
  return latencies;
}

// A loop on one connection that polls its socket, leases and finishes.
class BareWorker {
 public:
  BareWorker(const sql::PoolOptions& options, std::atomic<int>& started)
      : listening_(options), loop_(BareLoop(options)), started_(started) {
    listening_.Execute("LISTEN \"" + options.schema + ".jobs\"");
    thread_ = std::thread([this] { Work(); });
  }
  ~BareWorker() {
    stopping_ = true;
    thread_.join();
  }

 private:
  void Work() {
    while (!stopping_) {
      pollfd ready{PQsocket(listening_.raw()), POLLIN, 0};
      poll(&ready, 1, 100);
      PQconsumeInput(listening_.raw());
      bool told = false;
      while (PGnotify* note = PQnotifies(listening_.raw())) {
        PQfreemem(note);
        told = true;
      }
      if (!told) continue;
      const auto leased = loop_->Lease(10);
      if (leased.empty()) continue;
      started_.fetch_add(static_cast<int>(leased.size()));
      started_.notify_all();
      loop_->Finish(leased);
    }
  }

  BareConnection listening_;
  std::unique_ptr<JobLoop> loop_;
  std::atomic<int>& started_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

std::vector<double> OfBareLoop(const sql::PoolOptions& options, int samples) {
  std::atomic<int> started = 0;
  const BareWorker worker(options, started);
  const auto inserting = BareLoop(options);
  BareConnection announcing(options);
  announcing.Prepare(queue::queries::kAnnounceQueues.name,
                     queue::queries::kAnnounceQueues.text);
  const std::vector<BareParameter> told{TextArray({kQueue})};
  return Measure(
      [&] {
        inserting->Insert(1);
        announcing.Run(queue::queries::kAnnounceQueues.name, told);
      },
      started, samples);
}

}  // namespace

void MeasureLatency(const Settings& settings) {
  const int samples = settings.brief ? 50 : 300;
  const int runs = settings.brief ? 1 : 3;
  testing::TestDatabase mine;
  testing::TestDatabase its;
  std::vector<double> p50;
  std::vector<double> p99;
  std::vector<double> bare_p50;
  std::vector<double> bare_p99;
  for (int run = 0; run < runs; ++run) {
    const auto library = OfLibrary(WithQueries(mine.options()), samples);
    p50.push_back(Percentile(library, 0.5));
    p99.push_back(Percentile(library, 0.99));
    const auto bare = OfBareLoop(WithQueries(its.options()), samples);
    bare_p50.push_back(Percentile(bare, 0.5));
    bare_p99.push_back(Percentile(bare, 0.99));
  }
  Print({.name = "insert to start, p50",
         .runs = p50,
         .unit = kMilliseconds,
         .limit = 3,
         .bare = Median(bare_p50)});
  Print({.name = "insert to start, p99",
         .runs = p99,
         .unit = kMilliseconds,
         .limit = 10,
         .bare = Median(bare_p99)});
}

}  // namespace fluxnetes::benchmark
