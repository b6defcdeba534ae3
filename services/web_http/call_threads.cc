#include "services/web_http/call_threads.h"

#include <utility>

namespace fluxnetes::services {

CallThreads::CallThreads(int threads, std::size_t waiting) : waiting_(waiting) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
}

CallThreads::~CallThreads() { Stop(); }

bool CallThreads::Post(std::function<void()> task) {
  {
    const sql::MutexLock lock(mutex_);
    if (stopping_ || tasks_.size() >= waiting_) return false;
    tasks_.push_back(std::move(task));
  }
  changed_.NotifyOne();
  return true;
}

void CallThreads::Stop() {
  {
    const sql::MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.NotifyAll();
  for (std::thread& thread : threads_)
    if (thread.joinable()) thread.join();
}

void CallThreads::Run() {
  sql::MutexLock lock(mutex_);
  while (true) {
    while (!stopping_ && tasks_.empty()) changed_.Wait(mutex_);
    if (tasks_.empty()) return;
    auto task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.Unlock();
    task();
    task = nullptr;  // what it holds ends here, without the mutex
    lock.Lock();
  }
}

}  // namespace fluxnetes::services
