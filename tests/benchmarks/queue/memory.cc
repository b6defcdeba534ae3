#include <fstream>

#include "queue/runner/runner.h"
#include "sql/mutex.h"
#include "tests/benchmarks/queue/job_loop.h"
#include "tests/benchmarks/queue/rows.h"
#include "tests/benchmarks/queue/sections.h"
#include "tests/support/postgres.h"
#include "tests/support/process.h"

namespace fluxnetes::benchmark {
namespace {

constexpr int kJobs = 10'000;

// Resident memory of the process.
double ResidentMegabytes() {
  std::ifstream in("/proc/self/statm");
  double size = 0;
  double resident = 0;
  in >> size >> resident;
  return resident * 4'096 / (1 << 20);
}

// Running jobs that are kept unfinished.
class Running {
 public:
  void Add(queue::RunningJob job) {
    const sql::MutexLock lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  std::size_t size() {
    const sql::MutexLock lock(mutex_);
    return jobs_.size();
  }
  void CompleteAll() {
    const sql::MutexLock lock(mutex_);
    for (queue::RunningJob& job : jobs_) job.Complete();
    jobs_.clear();
  }

 private:
  sql::Mutex mutex_;
  std::vector<queue::RunningJob> jobs_ GUARDED_BY(mutex_);
};

}  // namespace

void MeasureMemory(const Settings&) {
  testing::TestDatabase database;
  const auto options = WithQueries(database.options());
  {
    const auto loop = BareLoop(options);
    for (int jobs = 0; jobs < kJobs; jobs += 1'000) loop->Insert(1'000);
  }
  sql::Pool pool(options);
  Running running;
  queue::Workers workers;
  workers.AddCallback(
      "benchmark", [&](queue::RunningJob job) { running.Add(std::move(job)); });
  queue::Runner runner(pool, workers, {.queues = {{kQueue, kJobs}}});
  const double before = ResidentMegabytes();
  runner.Start();
  if (!testing::WaitUntil(std::chrono::minutes(1),
                          [&] { return running.size() == kJobs; }))
    throw std::runtime_error("10,000 jobs did not start");
  const double with = ResidentMegabytes();
  Print({.name = "memory of a client with 10,000 running jobs",
         .runs = {with},
         .unit = "MB",
         .limit = 50});
  Print({.name = "of it for the jobs", .runs = {with - before}, .unit = "MB"});
  running.CompleteAll();
  runner.Stop();
}

}  // namespace fluxnetes::benchmark
