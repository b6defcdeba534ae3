// The jobs leased to this process: the slots they take, when each is to be
// stopped, and how each ended, until its result is recorded.
//
//   leased ─▶ begun ─▶ ended ─▶ recorded (forgotten)
//
// A job takes a slot of its queue from its lease to its end. Ended jobs without
// a recorded result count against a separate limit, so that memory stays
// bounded while the database is unreachable.
//
// Thread-safe. Callbacks and stop tokens are called without the lock.
// Tests: tests/queue/runner/runner_pgtest.cc,
// tests/queue/runner/runner_cancel_pgtest.cc.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "queue/runner/hooks.h"
#include "queue/runner/run.h"
#include "queue/runner/workers.h"
#include "queue/store/work_queue.h"

namespace fluxnetes::queue {

struct RunningJobsOptions {
  std::map<std::string, int> slots = {};  // by queue
  std::chrono::milliseconds timeout{0};   // for workers without one; 0: none
  // Counted from the stop request.
  std::chrono::milliseconds abandon_after{5'000};
  Hooks hooks = {};
  std::function<Moment()> now = std::chrono::steady_clock::now;
};

class RunningJobs {
 public:
  using Runs = std::vector<std::shared_ptr<Run>>;

  // `queue` records results in the transactions of workers.
  RunningJobs(std::shared_ptr<WorkQueue> queue, Workers workers,
              RunningJobsOptions options);

  const Hooks& hooks() const { return options_.hooks; }
  Moment Now() const { return options_.now(); }

  // Called when a full queue gets its first free slot, or is half empty.
  void OnRoom(std::function<void()> callback);
  // Called when a job began whose timeout is the earliest of all.
  void OnSooner(std::function<void()> callback);
  // Called with a job that was abandoned while its worker was on a thread.
  void OnStuck(std::function<void(const Run&)> callback);

  int Free(const std::string& queue) const;
  int Slots(const std::string& queue) const;

  Runs Add(std::vector<Job> jobs);
  // False: the job ended or was given back, and must not be begun.
  bool Begin(Run& run);
  // Reports that its worker has returned. False: the job was abandoned, and so
  // was its thread.
  bool Leave(Run& run);
  // Ends a job. Adds to the result the worker's backoff, if it failed, and the
  // changes of the hooks. False: it had ended before.
  bool End(const std::shared_ptr<Run>& run, JobResult result);
  // Ends a job whose worker ended without a result; `error` has the reason.
  bool EndUnsaid(const std::shared_ptr<Run>& run, const std::string& error);
  // Completes the job in a transaction of its worker's. Throws LeaseLost,
  // sql::Error.
  void CompleteIn(sql::Transaction& transaction, Run& run);
  void SetMetadata(Run& run, std::string object);
  StopReason ReasonOf(const Run& run) const;
  bool IsHandedOver(const Run& run) const;

  // Ask one job, if it is here, or all jobs to stop.
  bool Stop(std::int64_t job, StopReason reason);
  void StopAll(StopReason reason);
  // Gives back the jobs that have not begun.
  void GiveBackWaiting();
  // Stops jobs that timed out, abandons those that ignored a stop request.
  // Returns when to call again.
  Moment Expire();
  void AbandonAll();

  // Returns whether all jobs ended in time.
  bool WaitForEnds(std::chrono::milliseconds patience);
  // Returns whether all results were recorded in time.
  bool WaitForRecords(std::chrono::milliseconds patience);

  // Returns ended jobs; waits for the first until Close() is called.
  Runs TakeEnded(std::size_t limit);
  void Close();
  void Forget(const Runs& recorded);

  bool Knows(std::int64_t job, int attempt) const;
  int running() const;

 private:
  struct Key {
    std::int64_t job;
    int attempt;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return std::hash<std::int64_t>()(key.job * 31 + key.attempt);
    }
  };
  JobResult Unsaid(const Run& run, const std::string& error) const;
  bool Finish(const std::shared_ptr<Run>& run, JobResult& result);
  void RequestStop(std::unique_lock<std::mutex>& lock, const Runs& runs,
                   StopReason reason);
  void Abandon(const std::shared_ptr<Run>& run);

  // Shared: the jobs of abandoned workers outlive the runner.
  const std::shared_ptr<WorkQueue> queue_;
  const Workers workers_;
  const RunningJobsOptions options_;
  std::function<void()> on_room_ = [] {};
  std::function<void()> on_sooner_ = [] {};
  std::function<void(const Run&)> on_stuck_ = [](const Run&) {};
  std::size_t max_unrecorded_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable ended_changed_;
  std::condition_variable emptied_;
  // Protected by mutex_.
  std::unordered_map<Key, std::shared_ptr<Run>, Hash> runs_;
  std::map<std::string, int> used_;
  int running_ = 0;
  Runs ended_;  // not taken yet
  Moment next_stop_ = Moment::max();
  bool closed_ = false;
};

}  // namespace fluxnetes::queue
