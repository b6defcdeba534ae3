// Cancels from another thread the statement that RunOutside() is running, and
// refuses all later ones: both throw Error (kRolledBack). For a shutdown that
// does not wait for a long statement.
//
// Thread-safe. Must outlive the calls that use it.
// Tests: tests/queue/maintenance/upkeep_pgtest.cc.
#pragma once

#include <functional>
#include <mutex>

namespace fluxnetes::sql {

class Interrupt {
 public:
  void Trigger();

 private:
  friend class Interruptible;
  std::mutex mutex_;
  // Protected by mutex_.
  bool triggered_ = false;
  std::function<void()> cancel_;  // cancels the running statement, if any
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
