// SIGINT and SIGTERM, waited for instead of suffered: they are held back from
// the thread that makes this and from all that it starts afterwards, so make it
// first of all in main().
#pragma once

#include <csignal>

namespace fluxnetes::queue {

class StopSignal {
 public:
  StopSignal();

  // Until one comes, even if it came before; returns which.
  int Wait() const;

 private:
  sigset_t signals_;
};

}  // namespace fluxnetes::queue
