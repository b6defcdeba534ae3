// Waits for SIGINT and SIGTERM instead of handling them asynchronously. The
// signals are blocked in the thread that creates this object and in all threads
// that it starts afterwards, so create it first in main().
#pragma once

#include <csignal>

namespace fluxnetes::queue {

class StopSignal {
 public:
  StopSignal();

  // Waits for a signal, which may already be pending; returns which.
  int Wait() const;

 private:
  sigset_t signals_;
};

}  // namespace fluxnetes::queue
