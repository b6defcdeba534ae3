// Leases jobs for the free slots of this process, never more, on a thread of
// its own: when a bell rings, when the timer underneath does, at once again
// after a full batch, and when slots of a queue that was full come free (a few
// at a time rather than one by one).
//
// What a lease whose outcome is in doubt may have taken is found and given
// back; nothing stays with a living client that has forgotten it.
//
// Start() and Stop() once each, from one thread; Wake() from any.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "queue/clients/client.h"
#include "queue/runner/running_jobs.h"
#include "queue/store/work_queue.h"

namespace fluxnetes::queue {

struct FetcherOptions {
  std::vector<std::string> queues = {};
  std::chrono::milliseconds poll{1'000};
};

class Fetcher {
 public:
  using OnLeased = std::function<void(RunningJobs::Runs)>;
  // Told once per kind of failure, and with an empty text when it is over.
  using OnFailure = std::function<void(const std::string& what)>;

  Fetcher(WorkQueue& queue, sql::Pool& pool, const Client& client,
          RunningJobs& running, FetcherOptions options, OnLeased on_leased,
          OnFailure on_failure);
  ~Fetcher();  // Stop()
  Fetcher(const Fetcher&) = delete;
  Fetcher& operator=(const Fetcher&) = delete;

  void Start();
  void Stop();

  // Something may be in this queue; empty: in any.
  void Wake(const std::string& queue);
  // Slots came free.
  void WakeForRoom();

 private:
  struct Queue {
    std::string name;
    Moment due = {};                    // when to look next
    bool is_full = false;               // the last look took all slots
    Moment room_since = Moment::max();  // of a full one
  };

  void Loop();
  // The next queue to look at; null: none now, and `next` says when.
  Queue* Choose(Moment now, Moment& next);
  void LookAt(Queue& queue, std::unique_lock<std::mutex>& lock);
  // Gives back what this client holds and does not know of.
  void GiveBackUnknown();
  void Failed(const std::string& what, bool in_doubt);

  WorkQueue& queue_;
  sql::Pool& pool_;
  const Client& client_;
  RunningJobs& running_;
  const FetcherOptions options_;
  const OnLeased on_leased_;
  const OnFailure on_failure_;

  // Of the thread.
  std::string failing_;
  std::chrono::milliseconds back_off_{0};
  Moment check_at_ = {};
  Moment doubtful_until_ = {};
  std::size_t turn_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  // Protected by mutex_.
  std::vector<Queue> queues_;
  bool stopping_ = false;

  std::thread thread_;
};

}  // namespace fluxnetes::queue
