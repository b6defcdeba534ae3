// Who works on which kind of job. There are two sorts of workers:
//
//   blocking   runs on a thread until it returns (the job is completed) or
//              throws (it failed), or calls one of the job's ends itself
//   callback   begins the work and returns; whoever keeps the RunningJob
//              finishes it later. Must not block: it shares one thread with the
//              beginnings of all others.
//
//   Workers workers;
//   workers.Add("greet", [](RunningJob& job) { Greet(job.args()); });
//   workers.AddCallback("fetch", [&](RunningJob job) { loop.Fetch(job); });
//
// One thread, until it is given to a runner.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "queue/runner/running_job.h"

namespace fluxnetes::queue {

struct WorkerOptions {
  // From the beginning of the work; then the job is asked to stop. 0: as the
  // runner says.
  std::chrono::milliseconds timeout{0};
  // How long a failed job waits; without it as WorkQueue::Finish says.
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
  // Throw std::invalid_argument for a kind that is empty or has one.
  Workers& Add(const std::string& kind, std::function<void(RunningJob&)> work,
               WorkerOptions options = {});
  Workers& AddCallback(const std::string& kind,
                       std::function<void(RunningJob)> begin,
                       WorkerOptions options = {});

  // Null: there is none. Shared, because an abandoned one may outlive all else.
  std::shared_ptr<const Worker> Find(const std::string& kind) const;

 private:
  Workers& Insert(const std::string& kind, Worker worker);

  std::map<std::string, std::shared_ptr<const Worker>> workers_;
};

}  // namespace fluxnetes::queue
