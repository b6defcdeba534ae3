// Waits until another thread has changed what a mutex guards. A wait may end
// without a reason, and clang's analysis does not look into predicates, so a
// wait is a loop over its condition:
//
//   const sql::MutexLock lock(mutex_);
//   while (!stopping_ && jobs_.empty()) changed_.Wait(mutex_);
//
// or, for at most a second, in which case the condition is looked at again
// after the loop:
//
//   const auto until = std::chrono::steady_clock::now() + 1s;
//   while (!stopping_ && changed_.WaitUntil(mutex_, until)) {
//   }
//
// Thread-safe. The mutex is held again when a wait returns.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "sql/mutex.h"

namespace fluxnetes::sql {

class ConditionVariable {
 public:
  void Wait(Mutex& mutex) REQUIRES(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    changed_.wait(lock);
    lock.release();
  }

  // Returns false once the time has come.
  template <typename Clock, typename Duration>
  bool WaitUntil(Mutex& mutex, std::chrono::time_point<Clock, Duration> until)
      REQUIRES(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    const std::cv_status status = changed_.wait_until(lock, until);
    lock.release();
    return status == std::cv_status::no_timeout;
  }

  void NotifyOne() { changed_.notify_one(); }
  void NotifyAll() { changed_.notify_all(); }

 private:
  std::condition_variable changed_;
};

}  // namespace fluxnetes::sql
