// Ends connections that take too long: each open one has a time by which its
// present step (to send a request, to take an answer) must be over. A thread
// looks each second, and shuts the sockets of those that are late.
//
// Thread-safe. A socket is closed by its owner, after Remove().
// Tests: tests/services/web_http/web_server_test.cc.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <thread>

#include "sql/condition_variable.h"
#include "sql/mutex.h"

namespace fluxnetes::services {

class ConnectionDeadlines {
 public:
  using Clock = std::chrono::steady_clock;

  explicit ConnectionDeadlines(std::chrono::milliseconds interval);
  ~ConnectionDeadlines();
  ConnectionDeadlines(const ConnectionDeadlines&) = delete;
  ConnectionDeadlines& operator=(const ConnectionDeadlines&) = delete;

  // Sets the time of an open connection; Clock::time_point::max() is no limit.
  void Set(int fd, Clock::time_point deadline) EXCLUDES(mutex_);
  void Remove(int fd) EXCLUDES(mutex_);

  // The number of connections that were ended.
  std::int64_t ended() const { return ended_; }

 private:
  void Run(std::chrono::milliseconds interval) EXCLUDES(mutex_);

  sql::Mutex mutex_;
  sql::ConditionVariable stopped_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::map<int, Clock::time_point> deadlines_ GUARDED_BY(mutex_);
  std::atomic<std::int64_t> ended_ = 0;
  std::thread thread_;  // last: it uses the others
};

}  // namespace fluxnetes::services
