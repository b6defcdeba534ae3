// Wakes a loop. Ringing before anyone waits is not lost, ringing twice is the
// same as once. Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace fluxnetes::workers {

class Bell {
 public:
  void Ring();

  // Until it rings or the time is over; whether it rang.
  bool Wait(std::chrono::milliseconds timeout);

 private:
  std::mutex mutex_;
  std::condition_variable rang_;
  bool ringing_ = false;
};

}  // namespace fluxnetes::workers
