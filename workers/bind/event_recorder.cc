#include "workers/bind/event_recorder.h"

#include <algorithm>
#include <utility>

namespace fluxnetes::workers {

void EventRecorder::Put(std::vector<cluster::PodEvent> events,
                        cluster::Time now) {
  const sql::MutexLock lock(mutex_);
  last_put_ = now;
  for (cluster::PodEvent& event : events) {
    if (waiting_.size() >= options_.capacity) {
      ++dropped_;
    } else {
      waiting_.push_back({std::move(event), now});
    }
  }
}

bool EventRecorder::May(cluster::Time now) const {
  if (waiting_.empty()) return false;
  if (now - waiting_.front().since >= options_.patience) return true;
  return now - last_put_ >= options_.pause && !bindings_.AnyUnderWay();
}

bool EventRecorder::RunOnce(cluster::Time now) {
  std::size_t count = 0;
  {
    const sql::MutexLock lock(mutex_);
    if (!May(now)) return false;
    count = std::clamp<std::size_t>(waiting_.size() / 16, 1, options_.batch);
  }
  return Send(count);
}

std::size_t EventRecorder::Flush(std::size_t most) {
  Send(most);
  const sql::MutexLock lock(mutex_);
  return waiting_.size();
}

bool EventRecorder::Send(std::size_t most) {
  std::vector<cluster::PodEvent> events;
  {
    const sql::MutexLock lock(mutex_);
    const std::size_t count = std::min(most, waiting_.size());
    for (std::size_t i = 0; i < count; ++i) events.push_back(waiting_[i].event);
  }
  if (events.empty()) return false;
  cluster_.Record(events);
  const sql::MutexLock lock(mutex_);
  waiting_.erase(waiting_.begin(), waiting_.begin() + std::ssize(events));
  return !waiting_.empty();
}

}  // namespace fluxnetes::workers
