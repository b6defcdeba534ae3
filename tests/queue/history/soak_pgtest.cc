// Runs the queue at half of the machine's capacity for twenty seconds, or in
// the long form (FLUXNETES_TEST_LONG=1) for ten minutes. With
// FLUXNETES_TEST_SOAK=FILE the measurements of each second are written there, a
// JSON object per line, for hack/plots/soak.py.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "queue/clients/client.h"
#include "queue/store/job_notifier.h"
#include "queue/store/work_queue.h"
#include "sql/connection/transaction.h"
#include "tests/support/postgres.h"

namespace fluxnetes::queue {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kBatch = 100;
constexpr double kMegabyte = 1 << 20;

struct Sample {
  double at;  // seconds
  double memory, table, index;
  double rate;  // jobs finished per second since the last sample
};

double MemoryOfThisProcess() {
  std::ifstream in("/proc/self/statm");
  double size = 0;
  double resident = 0;
  in >> size >> resident;
  return resident * 4'096 / kMegabyte;
}

// One thread inserts and one works, each at a limited rate of jobs per second.
class Load {
 public:
  Load(const sql::PoolOptions& options, double rate)
      : pool_(options),
        notifier_(pool_),
        jobs_(pool_, &notifier_),
        client_(pool_, {.time_to_live = std::chrono::minutes(5)}),
        rate_(rate) {
    client_.Start();
    notifier_.Start();
    inserting_ = std::thread([this] { Insert(); });
    working_ = std::thread([this] { Work(); });
  }
  ~Load() {
    stopping_ = true;
    inserting_.join();
    working_.join();
  }

  long finished() const { return finished_; }

 private:
  // Stays at most a thousand jobs ahead.
  void Insert() {
    NewJob job;
    job.kind = "soak";
    job.queue = "soak";
    job.args = R"({"text": ")" + std::string(200, 'x') + R"("})";
    const std::vector<NewJob> batch(kBatch, job);
    const auto tick = std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(kBatch / rate_));
    long inserted = 0;
    for (auto next = Clock::now(); !stopping_;) {
      if (inserted - finished_ < 10 * kBatch) {
        jobs_.Insert(batch);
        inserted += kBatch;
      }
      next = std::max(next + tick, Clock::now());
      std::this_thread::sleep_until(next);
    }
  }

  void Work() {
    while (!stopping_) {
      std::vector<JobResult> results;
      for (const Job& job : jobs_.Lease("soak", client_.id(), kBatch)) {
        results.emplace_back();
        results.back().id = job.id;
        results.back().attempt = job.attempt;
      }
      if (results.empty())
        std::this_thread::sleep_for(milliseconds(2));
      else
        jobs_.Finish(results);
      finished_ += static_cast<long>(results.size());
    }
  }

  sql::Pool pool_;
  JobNotifier notifier_;
  WorkQueue jobs_;
  Client client_;
  const double rate_;
  std::atomic<bool> stopping_ = false;
  std::atomic<long> finished_ = 0;
  std::thread inserting_;
  std::thread working_;
};

// Does the maintenance leader's work on the calling thread: a vacuum every few
// seconds.
std::vector<Sample> RunFor(testing::TestDatabase& database,
                           const sql::PoolOptions& options, double rate,
                           seconds duration) {
  Load load(options, rate);
  std::vector<Sample> samples;
  const auto begin = Clock::now();
  auto last = begin;
  long finished = 0;
  while (Clock::now() < begin + duration) {
    std::this_thread::sleep_for(seconds(1));
    if (samples.size() % 2 == 0)
      sql::RunOutside(database.pool(), "VACUUM (SKIP_LOCKED) jobs", seconds(1));
    std::istringstream sizes(
        database.AskAll("SELECT format('%s %s', pg_table_size('jobs'), "
                        "pg_indexes_size('jobs'))"));
    Sample sample{};
    sizes >> sample.table >> sample.index;
    sample.table /= kMegabyte;
    sample.index /= kMegabyte;
    sample.memory = MemoryOfThisProcess();
    const auto now = Clock::now();
    const long done = load.finished();
    sample.at = std::chrono::duration<double>(now - begin).count();
    sample.rate = static_cast<double>(done - finished) /
                  std::chrono::duration<double>(now - last).count();
    last = now;
    finished = done;
    samples.push_back(sample);
  }
  return samples;
}

double Most(const std::vector<Sample>& samples, double Sample::*what,
            double from, double to) {
  const auto size = static_cast<double>(samples.size());
  double most = 0;
  for (auto i = static_cast<std::size_t>(from * size);
       i < static_cast<std::size_t>(to * size); ++i)
    most = std::max(most, samples[i].*what);
  return most;
}

void Write(const std::vector<Sample>& samples) {
  const char* path = std::getenv("FLUXNETES_TEST_SOAK");
  if (path == nullptr) return;
  std::ofstream out(path);
  for (const Sample& sample : samples)
    out << fmt::format(
        "{{\"seconds\": {:.1f}, \"memory of the client, MB\": {:.2f}, "
        "\"table jobs, MB\": {:.2f}, \"its indexes, MB\": {:.2f}, "
        "\"jobs per second\": {:.0f}}}\n",
        sample.at, sample.memory, sample.table, sample.index, sample.rate);
}

// Whatever would grow large in half an hour must not grow after a quarter of
// the run.
TEST(Soak, MemoryTableAndIndexesStayFlatAtHalfSpeed) {
  const bool is_long = std::getenv("FLUXNETES_TEST_LONG") != nullptr;
  testing::PrivateServer server({"max_wal_size=4GB"});
  testing::TestDatabase database(true, server.connection());
  sql::PoolOptions options = database.options();
  options.by_index_only = true;
  const auto full = RunFor(database, options, 1e6, seconds(4));
  const double rate = Most(full, &Sample::rate, 0, 1) / 2;
  ASSERT_GT(rate, 0);
  const auto samples =
      RunFor(database, options, rate, seconds(is_long ? 600 : 20));
  Write(samples);
  for (const auto what : {&Sample::memory, &Sample::table, &Sample::index}) {
    const double early = Most(samples, what, 0.25, 0.5);
    const double late = Most(samples, what, 0.75, 1);
    std::cout << fmt::format("{:.1f} MB, later {:.1f} MB\n", early, late);
    EXPECT_LT(late, 1.25 * early + 8);
  }
  std::cout << fmt::format("{:.0f} jobs/s of {:.0f}\n",
                           Most(samples, &Sample::rate, 0.25, 1), 2 * rate);
}

}  // namespace
}  // namespace fluxnetes::queue
