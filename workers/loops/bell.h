// Wakes a loop. A ring that comes before the wait is not lost; two rings count
// as one. Thread-safe.
// Tests: tests/workers/loops/loop_test.cc.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace fluxnetes::workers {

class Bell {
 public:
  void Ring();

  // Waits until the bell rings or the timeout ends. Returns true if it rang.
  bool Wait(std::chrono::milliseconds timeout);

 private:
  std::mutex mutex_;
  std::condition_variable rang_;
  bool ringing_ = false;
};

}  // namespace fluxnetes::workers
