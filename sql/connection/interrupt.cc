#include "sql/connection/interrupt.h"

#include <exception>
#include <utility>

#include "sql/error.h"

namespace fluxnetes::sql {

void Interrupt::Trigger() {
  const MutexLock lock(mutex_);
  triggered_ = true;
  if (!cancel_) return;
  try {
    cancel_();
  } catch (const std::exception&) {
    // An unreachable server cannot be told, but then the statement ends as
    // well.
  }
}

void Interrupt::Register(std::function<void()> cancel) {
  const MutexLock lock(mutex_);
  if (triggered_)
    throw Error(Error::Kind::kRolledBack, "57014", "", "interrupted");
  cancel_ = std::move(cancel);
}

void Interrupt::Unregister() {
  const MutexLock lock(mutex_);
  cancel_ = nullptr;
}

Interruptible::Interruptible(Interrupt* interrupt, std::function<void()> cancel)
    : interrupt_(interrupt) {
  if (interrupt_ != nullptr) interrupt_->Register(std::move(cancel));
}

Interruptible::~Interruptible() {
  if (interrupt_ != nullptr) interrupt_->Unregister();
}

}  // namespace fluxnetes::sql
