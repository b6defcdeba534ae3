#include "services/web_http/connection_deadlines.h"

#include <sys/socket.h>

namespace fluxnetes::services {

ConnectionDeadlines::ConnectionDeadlines(std::chrono::milliseconds interval)
    : thread_([this, interval] { Run(interval); }) {}

ConnectionDeadlines::~ConnectionDeadlines() {
  {
    const sql::MutexLock lock(mutex_);
    stopping_ = true;
  }
  stopped_.NotifyAll();
  thread_.join();
}

void ConnectionDeadlines::Set(int fd, Clock::time_point deadline) {
  const sql::MutexLock lock(mutex_);
  deadlines_[fd] = deadline;
}

void ConnectionDeadlines::Remove(int fd) {
  const sql::MutexLock lock(mutex_);
  deadlines_.erase(fd);
}

void ConnectionDeadlines::Run(std::chrono::milliseconds interval) {
  const sql::MutexLock lock(mutex_);
  while (!stopping_) {
    const auto now = Clock::now();
    for (auto& [fd, deadline] : deadlines_) {
      if (deadline > now) continue;
      deadline = Clock::time_point::max();
      ++ended_;  // before the peer can see it
      // Under the mutex, so that the socket is not yet closed.
      shutdown(fd, SHUT_RDWR);
    }
    const auto until = now + interval;
    while (!stopping_ && stopped_.WaitUntil(mutex_, until)) {
    }
  }
}

}  // namespace fluxnetes::services
