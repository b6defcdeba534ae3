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
#include <set>
#include <string>
#include <thread>

#include "sql/condition_variable.h"
#include "sql/connection/pool.h"
#include "sql/mutex.h"

namespace fluxnetes::queue {

class JobNotifier {
 public:
  explicit JobNotifier(sql::Pool& pool, std::chrono::milliseconds interval =
                                            std::chrono::milliseconds(5));
  ~JobNotifier();  // Stop()
  JobNotifier(const JobNotifier&) = delete;
  JobNotifier& operator=(const JobNotifier&) = delete;

  void Start();
  void Stop() EXCLUDES(mutex_);

  void Notify(const std::string& queue) EXCLUDES(mutex_);

 private:
  void Loop() EXCLUDES(mutex_);
  void Ring(const std::set<std::string>& queues) EXCLUDES(mutex_);

  sql::Pool pool_;  // of one connection
  const std::chrono::milliseconds interval_;

  sql::Mutex mutex_;
  sql::ConditionVariable changed_;
  std::set<std::string> due_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;

  std::thread thread_;
};

}  // namespace fluxnetes::queue
