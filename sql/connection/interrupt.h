// Cancels from another thread the statement that RunOutside() is running, and
// refuses all later ones: both throw Error (kRolledBack). For a shutdown that
// does not wait for a long statement.
//
// Thread-safe. Must outlive the calls that use it.
// Tests: tests/queue/maintenance/upkeep_pgtest.cc.
#pragma once

#include <functional>

#include "sql/mutex.h"

namespace fluxnetes::sql {

class Interrupt {
 public:
  void Trigger() EXCLUDES(mutex_);

 private:
  friend class Interruptible;
  void Register(std::function<void()> cancel) EXCLUDES(mutex_);
  void Unregister() EXCLUDES(mutex_);

  Mutex mutex_;
  bool triggered_ GUARDED_BY(mutex_) = false;
  // Cancels the running statement, if any.
  std::function<void()> cancel_ GUARDED_BY(mutex_);
};

// Registers the running statement for its own lifetime; for this folder only.
class Interruptible {
 public:
  // Throws Error (kRolledBack) if the interrupt was triggered before. Null: the
  // statement cannot be interrupted.
  Interruptible(Interrupt* interrupt, std::function<void()> cancel);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  Interrupt* const interrupt_;
};

}  // namespace fluxnetes::sql
