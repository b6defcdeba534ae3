#include "workers/loops/bell.h"

#include <utility>

namespace fluxnetes::workers {

void Bell::Ring() {
  {
    const sql::MutexLock lock(mutex_);
    ringing_ = true;
  }
  rang_.NotifyOne();
}

bool Bell::Wait(std::chrono::milliseconds timeout) {
  const auto until = std::chrono::steady_clock::now() + timeout;
  const sql::MutexLock lock(mutex_);
  while (!ringing_ && rang_.WaitUntil(mutex_, until)) {
  }
  return std::exchange(ringing_, false);
}

}  // namespace fluxnetes::workers
