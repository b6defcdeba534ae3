// The shared fixture of the runner's tests. They wait for expected steps by
// polling for their effects, as long as a slow machine may need.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "queue/control/job_control.h"
#include "queue/runner/runner.h"
#include "sql/condition_variable.h"
#include "sql/mutex.h"
#include "tests/queue/support/queue_fixture.h"
#include "tests/support/process.h"

namespace fluxnetes::queue {

inline constexpr std::chrono::seconds kPatience{60};

// Lets worker threads wait for a test, and a test for them.
class Gate {
 public:
  void Open() {
    const sql::MutexLock lock(mutex_);
    is_open_ = true;
    changed_.NotifyAll();
  }
  // Called by a worker: counts it and waits until the gate is open.
  void Pass() {
    const sql::MutexLock lock(mutex_);
    ++arrived_;
    changed_.NotifyAll();
    while (!is_open_) changed_.Wait(mutex_);
  }
  // Called by a test: waits until `count` workers have arrived.
  bool WaitFor(int count) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    const sql::MutexLock lock(mutex_);
    while (arrived_ < count && changed_.WaitUntil(mutex_, until)) {
    }
    return arrived_ >= count;
  }
  int arrived() {
    const sql::MutexLock lock(mutex_);
    return arrived_;
  }

 private:
  sql::Mutex mutex_;
  sql::ConditionVariable changed_;
  int arrived_ GUARDED_BY(mutex_) = 0;
  bool is_open_ GUARDED_BY(mutex_) = false;
};

// Callback jobs that a test keeps and ends.
class Kept {
 public:
  void Keep(RunningJob job) {
    const sql::MutexLock lock(mutex_);
    jobs_.push_back(std::move(job));
    changed_.NotifyAll();
  }
  bool WaitFor(std::size_t count) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    const sql::MutexLock lock(mutex_);
    while (jobs_.size() < count && changed_.WaitUntil(mutex_, until)) {
    }
    return jobs_.size() >= count;
  }
  RunningJob at(std::size_t i) {
    const sql::MutexLock lock(mutex_);
    return jobs_.at(i);
  }
  std::size_t size() {
    const sql::MutexLock lock(mutex_);
    return jobs_.size();
  }
  std::vector<RunningJob> TakeAll() {
    const sql::MutexLock lock(mutex_);
    return std::exchange(jobs_, {});
  }

 private:
  sql::Mutex mutex_;
  sql::ConditionVariable changed_;
  std::vector<RunningJob> jobs_ GUARDED_BY(mutex_);
};

class RunnerTest : public QueueTest {
 protected:
  // Options for the queue "q", with a client that stays alive on slow machines.
  static RunnerOptions Options(int slots = 10) {
    RunnerOptions options;
    options.queues = {{"q", slots}};
    options.client.time_to_live = std::chrono::minutes(5);
    return options;
  }

  std::unique_ptr<Runner> Started(const Workers& workers,
                                  RunnerOptions options = Options()) {
    auto runner =
        std::make_unique<Runner>(database.pool(), workers, std::move(options));
    runner->Start();
    return runner;
  }

  bool WaitForState(std::int64_t id, const std::string& state) {
    return fluxnetes::testing::WaitUntil(kPatience,
                                         [&] { return StateOf(id) == state; });
  }
  bool WaitForAnswer(const std::string& sql, const std::string& answer) {
    return fluxnetes::testing::WaitUntil(
        kPatience, [&] { return database.Ask(sql) == answer; });
  }

  void CancelJob(std::int64_t id) { JobControl(database.pool()).Cancel(id); }

  std::string ErrorOf(std::int64_t id) {
    return database.Ask(
        "SELECT errors->-1->>'message' FROM jobs WHERE id = " +
        std::to_string(id) +
        " UNION ALL SELECT errors->-1->>'message' FROM jobs_finished "
        "WHERE id = " +
        std::to_string(id));
  }
};

}  // namespace fluxnetes::queue
