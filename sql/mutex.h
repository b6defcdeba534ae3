// A mutex that clang's thread-safety analysis knows (thread_annotations.h), and
// the object that holds it for a scope:
//
//   void Counter::Add(int amount) {
//     const sql::MutexLock lock(mutex_);
//     count_ += amount;  // int count_ GUARDED_BY(mutex_)
//   }
//
// Below it is std::mutex. absl::Mutex has the annotations too, but Debian's
// Abseil is not built for TSan: TSan would not see that threads wait for each
// other by it, would report races where there are none, and could not be
// believed where there is one.
#pragma once

#include <mutex>

#include "sql/thread_annotations.h"

namespace fluxnetes::sql {

class CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  // Prefer MutexLock.
  void Lock() ACQUIRE() { mutex_.lock(); }
  void Unlock() RELEASE() { mutex_.unlock(); }

 private:
  friend class ConditionVariable;
  std::mutex mutex_;
};

class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ACQUIRE(mutex) : mutex_(mutex) {
    mutex_.Lock();
  }
  ~MutexLock() RELEASE() {
    if (held_) mutex_.Unlock();
  }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  // Not analysed inside: a scope may end with the mutex held or not.
  void Unlock() RELEASE() NO_THREAD_SAFETY_ANALYSIS {
    held_ = false;
    mutex_.Unlock();
  }
  void Lock() ACQUIRE() NO_THREAD_SAFETY_ANALYSIS {
    mutex_.Lock();
    held_ = true;
  }

 private:
  Mutex& mutex_;
  bool held_ = true;
};

}  // namespace fluxnetes::sql
