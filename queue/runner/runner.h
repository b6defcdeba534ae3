// Runs the jobs of some queues in this process:
//
//   queue::Workers workers;
//   workers.Add("greet", [](queue::RunningJob& job) { Greet(job.args()); });
//   queue::Runner runner(pool, workers, {.queues = {{"default", 10}}});
//   runner.Start();
//   ...
//   runner.Stop();
//
// A running job takes a slot of its queue, and a thread only while a blocking
// worker is in it. Jobs begin when a bell rings (LISTEN) or a timer does, are
// run at least once, and are never lost: what this process holds when it dies
// is run by another. Jobs that wait for their time, or whose client died, are
// made available by the maintenance leader, of which each schema needs one.
//
// Lives on four connections of its own (two for leases and results, which it
// keeps when it is stopped, one each for the heartbeat and LISTEN) with the
// options of the pool that it is given.
//
// Thread-safe; Start() and Stop() not from a worker or a callback.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "queue/clients/client.h"
#include "queue/runner/events.h"
#include "queue/runner/hooks.h"
#include "queue/runner/workers.h"
#include "sql/connection/pool.h"

namespace fluxnetes::queue {

struct RunnerOptions {
  // How many jobs of each queue run at a time. What blocking workers cannot
  // begin, because there are fewer threads, is leased and waits.
  std::map<std::string, int> queues = {{"default", 10}};
  // For blocking workers, made when they are needed. 0: as many as there are
  // slots, 64 at most.
  int threads = 0;
  ClientOptions client = {};
  // False, or with PoolOptions::transaction_pooling: by the timer alone. A
  // cancel then reaches a running job within a heartbeat.
  bool listen = true;
  std::chrono::milliseconds poll{1'000};
  // Of workers that have no time-out of their own; 0: none.
  std::chrono::milliseconds timeout{0};
  // How long a job that was asked to stop may take before its slot, and the
  // thread that it is on, are given up.
  std::chrono::milliseconds abandon_after{5'000};
  Hooks hooks = {};
  // Stop() waits so long for jobs to end, then asks them to stop and waits
  // again, then abandons them, and takes so long to record the results.
  std::chrono::milliseconds stop_wait{10'000};
  std::chrono::milliseconds stop_cancel{5'000};
  std::chrono::milliseconds stop_record{5'000};
  // For the log: once per kind of failure, with an empty text when it is over.
  std::function<void(const std::string& what)> on_failure = {};
};

class Runner {
 public:
  // Throws std::invalid_argument for options that cannot be.
  Runner(sql::Pool& pool, Workers workers, RunnerOptions options = {});
  ~Runner();  // Stop()
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // Throws sql::Error if the database is away, std::logic_error if it runs.
  // After a Stop() it may be started again.
  void Start();

  // Leases no more, waits for what runs, records the results, and leaves
  // nothing running: what had not ended is given back and burns no attempt.
  // Whether all jobs ended by themselves and all was recorded. Stopping what
  // does not run is fine. A statement that is under way is waited for.
  bool Stop();

  // What becomes of jobs from now on; `capacity` events are kept for a
  // subscriber that does not take them.
  std::shared_ptr<Subscription> Subscribe(std::size_t capacity = 10'000);

  // The row in `clients`; 0: not started.
  std::int64_t client_id() const;
  // How many jobs it holds that have not ended.
  int running() const;

 private:
  struct Session;

  sql::Pool pool_;
  const Workers workers_;
  const RunnerOptions options_;
  EventStream events_;

  std::mutex changing_;  // held by Start() and Stop()
  mutable std::mutex mutex_;
  std::shared_ptr<Session>
      session_;  // protected by mutex_; shared with readers
};

}  // namespace fluxnetes::queue
