#include "sql/connection/interrupt.h"

#include <exception>
#include <utility>

#include "sql/error.h"

namespace fluxnetes::sql {

void Interrupt::Trigger() {
  const std::lock_guard lock(mutex_);
  triggered_ = true;
  if (!cancel_) return;
  try {
    cancel_();
  } catch (const std::exception&) {
    // An unreachable server cannot be told, but then the statement ends as
    // well.
  }
}

Interruptible::Interruptible(Interrupt* interrupt, std::function<void()> cancel)
    : interrupt_(interrupt) {
  if (interrupt_ == nullptr) return;
  const std::lock_guard lock(interrupt_->mutex_);
  if (interrupt_->triggered_)
    throw Error(Error::Kind::kRolledBack, "57014", "", "interrupted");
  interrupt_->cancel_ = std::move(cancel);
}

Interruptible::~Interruptible() {
  if (interrupt_ == nullptr) return;
  const std::lock_guard lock(interrupt_->mutex_);
  interrupt_->cancel_ = nullptr;
}

}  // namespace fluxnetes::sql
