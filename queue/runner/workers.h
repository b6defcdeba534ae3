// The worker of each kind of job. There are two sorts of workers:
//
//   blocking   runs on a thread until it returns (the job is completed) or
//              throws (it failed), or ends the job itself
//   callback   starts the work and returns; the job is finished later by the
//              holder of the RunningJob. Must not block: it shares one thread
//              with the starts of all other callback workers.
//
//   Workers workers;
//   workers.Add("greet", [](RunningJob& job) { Greet(job.args()); });
//   workers.AddCallback("fetch", [&](RunningJob job) { loop.Fetch(job); });
//
// Used by one thread, until it is passed to a runner.
// Tests: tests/queue/runner/runner_pgtest.cc,
// tests/queue/runner/hooks_pgtest.cc.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "queue/runner/running_job.h"

namespace fluxnetes::queue {

struct WorkerOptions {
  // Counted from the start of the work; then the job is asked to stop. 0: the
  // runner's timeout.
  std::chrono::milliseconds timeout{0};
  // The wait after a failure; without it the default of WorkQueue::Finish.
  std::function<std::chrono::milliseconds(const Job&, const std::string& error)>
      back_off = {};
};

struct Worker {
  std::function<void(RunningJob&)> work;
  bool is_blocking = true;
  WorkerOptions options = {};
};

class Workers {
 public:
  // Throw std::invalid_argument for an empty kind or one that has a worker.
  Workers& Add(const std::string& kind, std::function<void(RunningJob&)> work,
               WorkerOptions options = {});
  Workers& AddCallback(const std::string& kind,
                       std::function<void(RunningJob)> begin,
                       WorkerOptions options = {});

  // Null: no worker. Shared, because an abandoned worker may outlive the
  // runner.
  std::shared_ptr<const Worker> Find(const std::string& kind) const;

 private:
  Workers& Insert(const std::string& kind, Worker worker);

  std::map<std::string, std::shared_ptr<const Worker>> workers_;
};

}  // namespace fluxnetes::queue
