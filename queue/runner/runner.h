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
// worker executes it. Jobs start after a notification (LISTEN) or by a timer,
// run at least once, and are never lost: if this process dies, another one runs
// its jobs. Scheduled jobs, and jobs of dead clients, are made available by the
// maintenance leader, of which each schema needs one.
//
// Uses four connections of its own (two for leases and results, which stay open
// after Stop(), one each for the heartbeat and LISTEN) with the options of the
// given pool.
//
// Thread-safe; do not call Start() and Stop() from a worker or a callback.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "queue/clients/client.h"
#include "queue/runner/events.h"
#include "queue/runner/hooks.h"
#include "queue/runner/workers.h"
#include "sql/connection/pool.h"
#include "sql/mutex.h"

namespace fluxnetes::queue {

struct RunnerOptions {
  // Slots per queue: how many of its jobs run at a time. Jobs of blocking
  // workers that find no thread are leased and wait.
  std::map<std::string, int> queues = {{"default", 10}};
  // Threads for blocking workers, created on demand. 0: the number of slots, at
  // most 64.
  int threads = 0;
  ClientOptions client = {};
  // If false, or with PoolOptions::transaction_pooling, jobs are found by
  // polling only. A cancel then reaches a running job within a heartbeat.
  bool listen = true;
  std::chrono::milliseconds poll{1'000};
  // For workers without a timeout of their own; 0: none.
  std::chrono::milliseconds timeout{0};
  // How long a job may run after a stop request before its slot, and the thread
  // that executes it, are given up.
  std::chrono::milliseconds abandon_after{5'000};
  Hooks hooks = {};
  // Stop() waits `stop_wait` for jobs to end, then asks them to stop and waits
  // `stop_cancel`, then abandons them, and takes up to `stop_record` to record
  // results.
  std::chrono::milliseconds stop_wait{10'000};
  std::chrono::milliseconds stop_cancel{5'000};
  std::chrono::milliseconds stop_record{5'000};
  // For the log: once per kind of failure, with an empty text on recovery.
  std::function<void(const std::string& what)> on_failure = {};
};

class Runner {
 public:
  // Throws std::invalid_argument for invalid options.
  Runner(sql::Pool& pool, Workers workers, RunnerOptions options = {});
  ~Runner();  // Stop()
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // Throws sql::Error if the database is unreachable, std::logic_error if
  // already started. May be called again after Stop().
  void Start() EXCLUDES(changing_, mutex_);

  // Leases no more jobs, waits for the running ones, records results, and
  // leaves nothing running: unfinished jobs are given back and use up no
  // attempt. Returns true if all jobs ended by themselves and all results were
  // recorded. Stopping a stopped runner is fine. Waits for the statement being
  // executed.
  bool Stop() EXCLUDES(changing_, mutex_);

  // Subscribes to the events of jobs from now on. `capacity` limits the events
  // kept for a slow subscriber.
  std::shared_ptr<Subscription> Subscribe(std::size_t capacity = 10'000);

  // The id of its row in `clients`; 0: not started.
  std::int64_t client_id() const EXCLUDES(mutex_);
  // The number of leased jobs that have not ended.
  int running() const EXCLUDES(mutex_);

 private:
  struct Session;

  sql::Pool pool_;
  const Workers workers_;
  const RunnerOptions options_;
  EventStream events_;

  sql::Mutex changing_;  // held by Start() and Stop(), which take mutex_ too
  mutable sql::Mutex mutex_;
  std::shared_ptr<Session> session_ GUARDED_BY(mutex_);  // shared with readers
};

}  // namespace fluxnetes::queue
