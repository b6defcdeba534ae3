// Threads for work that blocks, so that the thread of the event loop need not.
// Tasks run in the order in which they were posted; a task must not throw.
//
// Thread-safe. Stop() finishes the tasks that were posted; stopping twice is
// fine.
// Tests: tests/services/web_http/web_server_test.cc.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "sql/condition_variable.h"
#include "sql/mutex.h"

namespace fluxnetes::services {

class CallThreads {
 public:
  CallThreads(int threads, std::size_t waiting);
  ~CallThreads();  // Stop()
  CallThreads(const CallThreads&) = delete;
  CallThreads& operator=(const CallThreads&) = delete;

  // Returns false if too many tasks wait already, or after Stop().
  [[nodiscard]] bool Post(std::function<void()> task) EXCLUDES(mutex_);
  void Stop() EXCLUDES(mutex_);

 private:
  void Run() EXCLUDES(mutex_);

  const std::size_t waiting_;
  sql::Mutex mutex_;
  sql::ConditionVariable changed_;
  std::deque<std::function<void()>> tasks_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;  // last: they use the others
};

}  // namespace fluxnetes::services
