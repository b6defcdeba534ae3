// Leases jobs for the free slots of this process, never more, on a thread of
// its own: after a notification, when its timer is due, at once after a full
// batch, and when slots of a full queue become free (a few at a time rather
// than one by one).
//
// Jobs that a lease of unknown outcome took are found and given back, so that
// no job stays leased to a living client that does not know it.
//
// Call Start() and Stop() once each, from one thread, and Wake() from any.
// Tests: tests/queue/runner/runner_pgtest.cc,
// tests/queue/runner/runner_wake_pgtest.cc.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "queue/clients/client.h"
#include "queue/runner/running_jobs.h"
#include "queue/store/work_queue.h"
#include "sql/condition_variable.h"
#include "sql/mutex.h"

namespace fluxnetes::queue {

struct FetcherOptions {
  std::vector<std::string> queues = {};
  std::chrono::milliseconds poll{1'000};
};

class Fetcher {
 public:
  using OnLeased = std::function<void(RunningJobs::Runs)>;
  // Called once per kind of failure, and with an empty text on recovery.
  using OnFailure = std::function<void(const std::string& what)>;

  Fetcher(WorkQueue& queue, sql::Pool& pool, const Client& client,
          RunningJobs& running, FetcherOptions options, OnLeased on_leased,
          OnFailure on_failure);
  ~Fetcher();  // Stop()
  Fetcher(const Fetcher&) = delete;
  Fetcher& operator=(const Fetcher&) = delete;

  void Start();
  void Stop() EXCLUDES(mutex_);

  // Reports that this queue may have jobs; empty: any queue.
  void Wake(const std::string& queue) EXCLUDES(mutex_);
  // Reports that slots became free.
  void WakeForRoom() EXCLUDES(mutex_);

 private:
  struct Queue {
    std::string name;
    Moment due = {};                    // time of the next lease
    bool is_full = false;               // the last lease took all slots
    Moment room_since = Moment::max();  // when a full queue got free slots
  };

  struct Leased {
    int limit = 0;  // the free slots
    int jobs = 0;
  };

  void Loop() EXCLUDES(mutex_);
  // Returns the next queue to lease from; null: none now, and `next` is when.
  Queue* Choose(Moment now, Moment& next) REQUIRES(mutex_);
  // Set when the queue is looked at again, before a lease and after it.
  void BeginLook(Queue& queue) const REQUIRES(mutex_);
  void EndLook(Queue& queue, const Leased& leased) const REQUIRES(mutex_);
  // Leases jobs of the queue for its free slots and passes them on.
  Leased Lease(const std::string& queue) EXCLUDES(mutex_);
  // Gives back the jobs leased to this client that it does not know.
  void GiveBackUnknown() EXCLUDES(mutex_);
  void Failed(const std::string& what, bool in_doubt);

  WorkQueue& queue_;
  sql::Pool& pool_;
  const Client& client_;
  RunningJobs& running_;
  const FetcherOptions options_;
  const OnLeased on_leased_;
  const OnFailure on_failure_;

  // Used by the thread only.
  std::string failing_;
  std::chrono::milliseconds back_off_{0};
  Moment check_at_ = {};
  Moment doubtful_until_ = {};
  std::size_t turn_ = 0;

  sql::Mutex mutex_;
  sql::ConditionVariable changed_;
  std::vector<Queue> queues_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;

  std::thread thread_;
};

}  // namespace fluxnetes::queue
