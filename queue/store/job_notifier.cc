#include "queue/store/job_notifier.h"

#include <utility>
#include <vector>

#include "queue/store/jobs_queries.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::queue {
namespace {

sql::PoolOptions ForOne(sql::PoolOptions options) {
  static constexpr sql::Query kNeeded[] = {queries::kAnnounceQueues};
  options.max_connections = 1;
  options.catalogues = {kNeeded};
  return options;
}

}  // namespace

JobNotifier::JobNotifier(sql::Pool& pool, std::chrono::milliseconds interval)
    : pool_(ForOne(pool.options())), interval_(interval) {}

JobNotifier::~JobNotifier() { Stop(); }

void JobNotifier::Start() {
  thread_ = std::thread([this] { Loop(); });
}

void JobNotifier::Stop() {
  if (!thread_.joinable()) return;
  {
    const sql::MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.NotifyAll();
  thread_.join();
}

void JobNotifier::Notify(const std::string& queue) {
  const sql::MutexLock lock(mutex_);
  if (due_.insert(queue).second && due_.size() == 1) changed_.NotifyAll();
}

void JobNotifier::Loop() {
  sql::MutexLock lock(mutex_);
  while (true) {
    while (!stopping_ && due_.empty()) changed_.Wait(mutex_);
    if (due_.empty()) return;
    const std::set<std::string> queues = std::exchange(due_, {});
    lock.Unlock();
    Ring(queues);
    const auto until = std::chrono::steady_clock::now() + interval_;
    lock.Lock();
    while (!stopping_ && changed_.WaitUntil(mutex_, until)) {
    }
  }
}

void JobNotifier::Ring(const std::set<std::string>& queues) {
  try {
    sql::RunAlone(pool_, queries::kAnnounceQueues,
                  std::vector(queues.begin(), queues.end()));
  } catch (const sql::Error&) {
    // The inserting thread reports an unreachable database.
  }
}

}  // namespace fluxnetes::queue
