// Records how the jobs of this process ended, in batches, on a thread of its
// own, and tells the subscribers when that is committed. What PostgreSQL does
// not take now is said again until it does; a result that it will never take
// fails its job instead, and holds up no other.
//
// Start() and Stop() once each, from one thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "queue/runner/events.h"
#include "queue/runner/running_jobs.h"
#include "queue/store/work_queue.h"

namespace fluxnetes::queue {

class ResultWriter {
 public:
  // Told once per kind of failure, and with an empty text when it is over.
  using OnFailure = std::function<void(const std::string& what)>;

  ResultWriter(WorkQueue& queue, RunningJobs& running, EventStream& events,
               OnFailure on_failure);
  ~ResultWriter();  // Stop()
  ResultWriter(const ResultWriter&) = delete;
  ResultWriter& operator=(const ResultWriter&) = delete;

  void Start();
  // Leaves what it cannot record now.
  void Stop();

  // Records one batch; for tests, on the caller's thread.
  void Write(const RunningJobs::Runs& runs);

 private:
  void Loop();
  // Runs whose results are said together.
  struct Batch {
    RunningJobs::Runs runs;
    bool in_doubt = false;  // they may have been recorded by an earlier try
    bool is_plain = false;  // the result was replaced by one that must do
  };
  // False: it is to stop.
  bool Persist(Batch batch);
  // False: try again later. Parts a batch that holds what is refused.
  bool Try(std::vector<Batch>& left);
  void Part(std::vector<Batch>& left);
  void Record(const Batch& batch, const std::vector<bool>& accepted);
  // False: it is to stop.
  bool Pause(std::chrono::milliseconds pause);
  void Tell(const std::string& failure);

  WorkQueue& queue_;
  RunningJobs& running_;
  EventStream& events_;
  const OnFailure on_failure_;

  std::string failing_;

  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;  // protected by mutex_

  std::thread thread_;
};

}  // namespace fluxnetes::queue
