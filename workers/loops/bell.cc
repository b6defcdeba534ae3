#include "workers/loops/bell.h"

#include <utility>

namespace fluxnetes::workers {

void Bell::Ring() {
  {
    const std::lock_guard lock(mutex_);
    ringing_ = true;
  }
  rang_.notify_one();
}

bool Bell::Wait(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  rang_.wait_for(lock, timeout, [this] { return ringing_; });
  return std::exchange(ringing_, false);
}

}  // namespace fluxnetes::workers
