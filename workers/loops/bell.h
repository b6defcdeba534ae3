// Wakes a loop. A ring that comes before the wait is not lost; two rings count
// as one. Thread-safe.
// Tests: tests/workers/loops/loop_test.cc.
#pragma once

#include <chrono>

#include "sql/condition_variable.h"
#include "sql/mutex.h"

namespace fluxnetes::workers {

class Bell {
 public:
  void Ring() EXCLUDES(mutex_);

  // Waits until the bell rings or the timeout ends. Returns true if it rang.
  bool Wait(std::chrono::milliseconds timeout) EXCLUDES(mutex_);

 private:
  sql::Mutex mutex_;
  sql::ConditionVariable rang_;
  bool ringing_ GUARDED_BY(mutex_) = false;
};

}  // namespace fluxnetes::workers
