#include "queue/clients/stop_signal.h"

namespace fluxnetes::queue {

StopSignal::StopSignal() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
}

int StopSignal::Wait() const {
  int received = 0;
  sigwait(&signals_, &received);
  return received;
}

}  // namespace fluxnetes::queue
