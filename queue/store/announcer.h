// Rings the bell "<schema>.jobs" for inserts, on a connection of its own and at
// most once per interval for each queue: NOTIFY holds a lock of the whole
// database through its commit. The first insert of a burst is announced at once
// and the last one within the interval. A bell that cannot be rung, because the
// database is away, is forgotten: workers poll as well.
//
// Announce() is thread-safe and does not wait. Start() and Stop() once each,
// from one thread; Stop() rings what is due.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "sql/connection/pool.h"

namespace fluxnetes::queue {

class Announcer {
 public:
  explicit Announcer(sql::Pool& pool, std::chrono::milliseconds interval =
                                          std::chrono::milliseconds(5));
  ~Announcer();  // Stop()
  Announcer(const Announcer&) = delete;
  Announcer& operator=(const Announcer&) = delete;

  void Start();
  void Stop();

  void Announce(const std::string& queue);

 private:
  void Loop();
  void Ring(const std::set<std::string>& queues);

  sql::Pool pool_;  // of one connection
  const std::chrono::milliseconds interval_;

  std::mutex mutex_;
  std::condition_variable changed_;
  // Protected by mutex_.
  std::set<std::string> due_;
  bool stopping_ = false;

  std::thread thread_;
};

}  // namespace fluxnetes::queue
