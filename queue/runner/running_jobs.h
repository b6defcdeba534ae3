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
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "queue/runner/hooks.h"
#include "queue/runner/run.h"
#include "queue/runner/workers.h"
#include "queue/store/work_queue.h"
#include "sql/condition_variable.h"
#include "sql/mutex.h"

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

  int Free(const std::string& queue) const EXCLUDES(mutex_);
  int Slots(const std::string& queue) const;

  Runs Add(std::vector<Job> jobs) EXCLUDES(mutex_);
  // False: the job ended or was given back, and must not be begun.
  bool Begin(Run& run) EXCLUDES(mutex_);
  // Reports that its worker has returned. False: the job was abandoned, and so
  // was its thread.
  bool Leave(Run& run) EXCLUDES(mutex_);
  // Ends a job. Adds to the result the worker's backoff, if it failed, and the
  // changes of the hooks. False: it had ended before.
  bool End(const std::shared_ptr<Run>& run, JobResult result) EXCLUDES(mutex_);
  // Ends a job whose worker ended without a result; `error` has the reason.
  bool EndUnsaid(const std::shared_ptr<Run>& run, const std::string& error)
      EXCLUDES(mutex_);
  // Completes the job in a transaction of its worker's. Throws LeaseLost,
  // sql::Error.
  void CompleteIn(sql::Transaction& transaction, Run& run) EXCLUDES(mutex_);
  void SetMetadata(Run& run, std::string object) EXCLUDES(mutex_);
  StopReason ReasonOf(const Run& run) const EXCLUDES(mutex_);
  bool IsHandedOver(const Run& run) const EXCLUDES(mutex_);

  // Ask one job, if it is here, or all jobs to stop.
  bool Stop(std::int64_t job, StopReason reason) EXCLUDES(mutex_);
  void StopAll(StopReason reason) EXCLUDES(mutex_);
  // Gives back the jobs that have not begun.
  void GiveBackWaiting() EXCLUDES(mutex_);
  // Stops jobs that timed out, abandons those that ignored a stop request.
  // Returns when to call again.
  Moment Expire() EXCLUDES(mutex_);
  void AbandonAll() EXCLUDES(mutex_);

  // Returns whether all jobs ended in time.
  bool WaitForEnds(std::chrono::milliseconds patience) EXCLUDES(mutex_);
  // Returns whether all results were recorded in time.
  bool WaitForRecords(std::chrono::milliseconds patience) EXCLUDES(mutex_);

  // Returns ended jobs; waits for the first until Close() is called.
  Runs TakeEnded(std::size_t limit) EXCLUDES(mutex_);
  void Close() EXCLUDES(mutex_);
  void Forget(const Runs& recorded) EXCLUDES(mutex_);

  bool Knows(std::int64_t job, int attempt) const EXCLUDES(mutex_);
  int running() const EXCLUDES(mutex_);

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
  JobResult Unsaid(const Run& run, const std::string& error) const
      EXCLUDES(mutex_);
  bool Finish(const std::shared_ptr<Run>& run, JobResult& result)
      EXCLUDES(mutex_);
  // Stops jobs in two steps: notes the reason and when they are abandoned, and
  // returns whether that is the earliest time of all; then, without the lock,
  // requests the stop.
  bool NoteStop(const Runs& runs, StopReason reason) REQUIRES(mutex_);
  void RequestStop(const Runs& runs, bool is_sooner) EXCLUDES(mutex_);
  void Abandon(const std::shared_ptr<Run>& run) EXCLUDES(mutex_);

  // Shared: the jobs of abandoned workers outlive the runner.
  const std::shared_ptr<WorkQueue> queue_;
  const Workers workers_;
  const RunningJobsOptions options_;
  // Set before the first job is added.
  std::function<void()> on_room_ = [] {};
  std::function<void()> on_sooner_ = [] {};
  std::function<void(const Run&)> on_stuck_ = [](const Run&) {};
  std::size_t max_unrecorded_ = 0;  // constant after construction

  mutable sql::Mutex mutex_;
  sql::ConditionVariable ended_changed_;
  sql::ConditionVariable emptied_;
  std::unordered_map<Key, std::shared_ptr<Run>, Hash> runs_ GUARDED_BY(mutex_);
  std::map<std::string, int> used_ GUARDED_BY(mutex_);
  int running_ GUARDED_BY(mutex_) = 0;
  Runs ended_ GUARDED_BY(mutex_);  // not taken yet
  Moment next_stop_ GUARDED_BY(mutex_) = Moment::max();
  bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace fluxnetes::queue
