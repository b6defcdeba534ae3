// history_worker CONNECTION SCHEMA FILE SEED [QUOTA]: inserts, leases and
// finishes jobs at random, up to QUOTA inserts, and records every call in FILE,
// until SIGTERM. It is meant to be killed, stopped and disconnected: it
// continues after every error, and reports results of leases that it has lost.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <random>
#include <thread>

#include "queue/catalogue.h"
#include "queue/clients/client.h"
#include "queue/store/work_queue.h"
#include "sql/connection/pool.h"
#include "sql/error.h"
#include "tests/queue/support/recorded_queue.h"

namespace fluxnetes::queue {
namespace {

using std::chrono::milliseconds;

constexpr const char* kQueue = "history";

std::atomic<bool> stopping = false;

class Worker {
 public:
  Worker(sql::Pool& pool, const std::string& path, unsigned seed, int quota)
      : jobs_(pool),
        recorded_(jobs_, path),
        client_(pool, {.time_to_live = milliseconds(400),
                       .heartbeat = milliseconds(100)}),
        random_(seed),
        quota_(quota) {}

  void Run() {
    while (!stopping && !Tried([this] { client_.Start(); })) Rest();
    while (!stopping) {
      if (!Tried([this] { Step(); })) Rest();
      if (Chance(0.3)) Rest();
    }
    client_.Stop();
  }

 private:
  bool Chance(double share) {
    return std::bernoulli_distribution(share)(random_);
  }
  int Number(int most) {
    return std::uniform_int_distribution(1, most)(random_);
  }
  void Rest() { std::this_thread::sleep_for(milliseconds(Number(4))); }

  template <typename Work>
  bool Tried(Work work) {
    try {
      work();
      return true;
    } catch (const sql::Error& error) {
      std::cerr << error.what() << '\n';
      return false;
    }
  }

  void Step() {
    if (quota_ > 0 && Chance(0.25)) Insert();
    if (held_.size() < 12 && Chance(0.5)) Lease();
    if (!held_.empty() && Chance(0.4)) Finish();
    if (Chance(0.05)) jobs_.Rescue();
    if (Chance(0.05)) jobs_.MakeDueAvailable();
  }

  void Insert() {
    std::vector<std::string> names;
    for (int i = Number(4); i > 0 && quota_ > 0; --i, --quota_)
      names.push_back(fmt::format("{}-{}", getpid(), ++named_));
    recorded_.Insert(kQueue, names);
  }

  void Lease() {
    for (Job& job : recorded_.Lease(kQueue, client_.id(), Number(5)))
      held_.push_back(std::move(job));
  }

  // Finishes some of its jobs, in any order. After an error they are reported
  // again.
  void Finish() {
    std::ranges::shuffle(held_, random_);
    std::vector<JobResult> results;
    const auto count = std::min<std::size_t>(held_.size(), Number(6));
    for (std::size_t i = 0; i < count; ++i)
      results.push_back(ResultOf(held_[i]));
    recorded_.Finish(results);
    held_.erase(held_.begin(), held_.begin() + static_cast<long>(count));
  }

  JobResult ResultOf(const Job& job) {
    JobResult result;
    result.id = job.id;
    result.attempt = job.attempt;
    const int dice = Number(10);
    if (dice == 1) {
      result.outcome = Outcome::kFailed;
      result.error = kTold;
    } else if (dice <= 3) {
      result.outcome = Outcome::kSnoozed;
      result.delay = milliseconds(Chance(0.5) ? 0 : Number(30));
    } else if (dice == 4) {
      result.outcome = Chance(0.5) ? Outcome::kCancelled : Outcome::kDiscarded;
    }
    return result;
  }

  WorkQueue jobs_;
  RecordedQueue recorded_;
  Client client_;
  std::mt19937 random_;
  int quota_;
  int named_ = 0;
  std::vector<Job> held_;
};

}  // namespace
}  // namespace fluxnetes::queue

int main(int argc, char** argv) {
  using namespace fluxnetes;
  if (argc < 5) return 2;
  std::signal(SIGTERM, [](int) { queue::stopping = true; });
  sql::PoolOptions options;
  options.connection = argv[1];
  options.schema = argv[2];
  options.application_name = "history";
  options.acquire_timeout = std::chrono::seconds(2);
  options.connect_timeout = std::chrono::seconds(2);
  options.statement_timeout = std::chrono::seconds(2);
  options.max_connections = 2;
  options.by_index_only = true;
  options.catalogues = {queue::Catalogue()};
  sql::Pool pool(options);
  queue::Worker(pool, argv[3], static_cast<unsigned>(std::atoi(argv[4])),
                argc > 5 ? std::atoi(argv[5]) : 200)
      .Run();
}
