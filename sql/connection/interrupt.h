// Ends from another thread the statement that RunOutside() is running, and
// refuses all later ones: both throw Error (kRolledBack). So that who has to
// stop does not wait for a long statement.
//
// Thread-safe. Must outlive the calls that it was given to.
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
  std::function<void()> cancel_;  // what runs, if anything does
};

// Registers what runs, as long as this object lives; of this folder only.
class Interruptible {
 public:
  // Throws Error (kRolledBack) if the interrupt was triggered before. Null: it
  // cannot be interrupted.
  Interruptible(Interrupt* interrupt, std::function<void()> cancel);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  Interrupt* const interrupt_;
};

}  // namespace fluxnetes::sql
