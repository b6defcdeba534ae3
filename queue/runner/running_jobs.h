// The jobs that this process has leased: how many slots they take, when each is
// to be stopped, and how each ended, until its result is recorded.
//
//   leased ─▶ begun ─▶ ended ─▶ recorded (forgotten)
//
// A job takes a slot of its queue from its lease to its end. What ended and is
// not recorded yet counts against a limit of its own, so that a database that
// is away fills no memory.
//
// Thread-safe. Callbacks and stop tokens are called without the lock.
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
  std::chrono::milliseconds timeout{0};   // of kinds without one; 0: none
  // From the moment that a job was asked to stop.
  std::chrono::milliseconds abandon_after{5'000};
  Hooks hooks = {};
  std::function<Moment()> now = std::chrono::steady_clock::now;
};

class RunningJobs {
 public:
  using Runs = std::vector<std::shared_ptr<Run>>;

  // `queue` is for results in the transactions of workers.
  RunningJobs(std::shared_ptr<WorkQueue> queue, Workers workers,
              RunningJobsOptions options);

  const Hooks& hooks() const { return options_.hooks; }
  Moment Now() const { return options_.now(); }

  // Called when a queue that was full is so no more, or half empty.
  void OnRoom(std::function<void()> callback);
  // Called when a job was begun whose time-out comes before all others.
  void OnSooner(std::function<void()> callback);
  // Called with a job whose worker was given up while a thread was in it.
  void OnStuck(std::function<void(const Run&)> callback);

  int Free(const std::string& queue) const;
  int Slots(const std::string& queue) const;

  Runs Add(std::vector<Job> jobs);
  // False: it ended before or was withdrawn, and must not be begun.
  bool Begin(Run& run);
  // Its worker has returned. False: that was given up, and so was its thread.
  bool Leave(Run& run);
  // False: it ended before. Completes the result by the worker's back-off, if
  // it failed, and by the hooks.
  bool End(const std::shared_ptr<Run>& run, JobResult result);
  // How it ends if its worker ends without a result; `error` says why.
  bool EndUnsaid(const std::shared_ptr<Run>& run, const std::string& error);
  // Completes it in a transaction of its worker's. Throws LeaseLost,
  // sql::Error.
  void CompleteIn(sql::Transaction& transaction, Run& run);
  void SetMetadata(Run& run, std::string object);
  StopReason ReasonOf(const Run& run) const;
  bool IsHandedOver(const Run& run) const;

  // Asks to stop: one, if it is here; all.
  bool Stop(std::int64_t job, StopReason reason);
  void StopAll(StopReason reason);
  // Ends what has not begun, as given back.
  void GiveBackWaiting();
  // Stops what has timed out, abandons what did not listen. Returns when to
  // call again.
  Moment Expire();
  void AbandonAll();

  // Whether all had ended by then.
  bool WaitForEnds(std::chrono::milliseconds patience);
  // Whether all were recorded by then.
  bool WaitForRecords(std::chrono::milliseconds patience);

  // What has ended, waiting for some until Close() is called.
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
