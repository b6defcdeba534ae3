// Sends NOTIFY "<schema>.jobs" for inserts, on a connection of its own and at
// most once per interval for each queue: NOTIFY holds a database-wide lock
// through its commit. The first insert of a burst is announced at once, the
// last one within the interval. If the database is unreachable, the
// notification is dropped: workers poll as well.
//
// Notify() is thread-safe and does not block. Call Start() and Stop() once
// each, from one thread; Stop() sends what is due.
// Tests: tests/queue/store/insert_pgtest.cc,
// tests/queue/runner/runner_wake_pgtest.cc.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "sql/connection/pool.h"

namespace fluxnetes::queue {

class JobNotifier {
 public:
  explicit JobNotifier(sql::Pool& pool, std::chrono::milliseconds interval =
                                            std::chrono::milliseconds(5));
  ~JobNotifier();  // Stop()
  JobNotifier(const JobNotifier&) = delete;
  JobNotifier& operator=(const JobNotifier&) = delete;

  void Start();
  void Stop();

  void Notify(const std::string& queue);

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
