// Records the results of the jobs of this process, in batches, on a thread of
// its own, and publishes events to subscribers once they are committed. What
// PostgreSQL cannot take now is retried until it can; a result that it will
// never take fails its job instead, and delays no other.
//
// Call Start() and Stop() once each, from one thread.
// Tests: tests/queue/runner/hooks_pgtest.cc,
// tests/queue/runner/runner_connectivity_pgtest.cc.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "queue/runner/events.h"
#include "queue/runner/running_jobs.h"
#include "queue/store/work_queue.h"
#include "sql/condition_variable.h"
#include "sql/mutex.h"

namespace fluxnetes::queue {

class ResultWriter {
 public:
  // Called once per kind of failure, and with an empty text on recovery.
  using OnFailure = std::function<void(const std::string& what)>;

  ResultWriter(WorkQueue& queue, RunningJobs& running, EventStream& events,
               OnFailure on_failure);
  ~ResultWriter();  // Stop()
  ResultWriter(const ResultWriter&) = delete;
  ResultWriter& operator=(const ResultWriter&) = delete;

  void Start();
  // Drops the results that cannot be recorded now.
  void Stop() EXCLUDES(mutex_);

  // Records one batch on the calling thread; for tests.
  void Write(const RunningJobs::Runs& runs);

 private:
  void Loop();
  // Runs whose results are recorded together.
  struct Batch {
    RunningJobs::Runs runs;
    bool in_doubt = false;  // an earlier try may have recorded them
    bool is_plain = false;  // the result was replaced by a plain failure
  };
  // Returns false if the writer is to stop.
  bool Persist(Batch batch);
  // Returns false to try again later. Splits a batch with a refused result.
  bool Try(std::vector<Batch>& left);
  void Part(std::vector<Batch>& left);
  void Record(const Batch& batch, const std::vector<bool>& accepted);
  // Returns false if the writer is to stop.
  bool Pause(std::chrono::milliseconds pause) EXCLUDES(mutex_);
  void Tell(const std::string& failure);

  WorkQueue& queue_;
  RunningJobs& running_;
  EventStream& events_;
  const OnFailure on_failure_;

  std::string failing_;  // used only by the thread that writes

  sql::Mutex mutex_;
  sql::ConditionVariable stop_;
  bool stopping_ GUARDED_BY(mutex_) = false;

  std::thread thread_;
};

}  // namespace fluxnetes::queue
