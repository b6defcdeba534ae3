#include "cluster/simulated/simulated_watch.h"

#include <algorithm>
#include <utility>

namespace fluxnetes::cluster {

using std::chrono::steady_clock;

void WatchQueue::Push(WatchEvent event, Time due) {
  const sql::MutexLock lock(mutex_);
  if (wants_list_) return;  // the list will include it
  if (events_.size() >= capacity_) {
    Forget();
  } else {
    last_due_ = std::max(last_due_, due);
    events_.push_back({std::move(event), last_due_});
  }
  ++changes_;
  changed_.NotifyAll();
}

void WatchQueue::Drop() {
  const sql::MutexLock lock(mutex_);
  Forget();
  ++changes_;
  changed_.NotifyAll();
}

void WatchQueue::Forget() {
  list_ = {};
  listed_ = 0;
  events_.clear();
  wants_list_ = true;
}

void WatchQueue::Silence(bool silent) {
  const sql::MutexLock lock(mutex_);
  silent_ = silent;
  ++changes_;
  changed_.NotifyAll();
}

void WatchQueue::Wake() {
  const sql::MutexLock lock(mutex_);
  ++changes_;
  changed_.NotifyAll();
}

bool WatchQueue::WantsList() const {
  const sql::MutexLock lock(mutex_);
  return wants_list_ && !silent_;
}

void WatchQueue::PutList(std::vector<WatchEvent> list) {
  const sql::MutexLock lock(mutex_);
  list_ = std::move(list);
  listed_ = 0;
  wants_list_ = false;
}

std::vector<WatchEvent> WatchQueue::Take(int limit, Time now) {
  const sql::MutexLock lock(mutex_);
  std::vector<WatchEvent> taken;
  if (silent_) return taken;
  const auto most = static_cast<std::size_t>(std::max(limit, 0));
  while (taken.size() < most && listed_ < list_.size()) {
    taken.push_back(std::move(list_[listed_++]));
  }
  if (listed_ == list_.size()) {
    list_ = {};
    listed_ = 0;
    while (taken.size() < most && !events_.empty() &&
           events_.front().due <= now) {
      taken.push_back(std::move(events_.front().event));
      events_.pop_front();
    }
  }
  return taken;
}

std::optional<Time> WatchQueue::NextDue(Time now) const {
  const sql::MutexLock lock(mutex_);
  if (silent_ || events_.empty() || events_.front().due <= now) {
    return std::nullopt;
  }
  return events_.front().due;
}

std::uint64_t WatchQueue::Changes() const {
  const sql::MutexLock lock(mutex_);
  return changes_;
}

void WatchQueue::Wait(steady_clock::time_point until,
                      std::uint64_t seen) const {
  const sql::MutexLock lock(mutex_);
  while (changes_ == seen && changed_.WaitUntil(mutex_, until)) {
  }
}

SimulatedWatch::SimulatedWatch(std::shared_ptr<WatchQueue> queue, Source source)
    : queue_(std::move(queue)), source_(std::move(source)) {}

std::vector<WatchEvent> SimulatedWatch::Next(
    int limit, std::chrono::milliseconds timeout) {
  const auto deadline = steady_clock::now() + timeout;
  while (true) {
    const std::uint64_t seen = queue_->Changes();
    if (queue_->WantsList()) source_.list(*queue_);
    auto taken = queue_->Take(limit, source_.now());
    if (!taken.empty() || steady_clock::now() >= deadline) return taken;
    queue_->Wait(Until(deadline), seen);
  }
}

steady_clock::time_point SimulatedWatch::Until(
    steady_clock::time_point deadline) const {
  if (!source_.real_time) return deadline;
  const Time now = source_.now();
  const auto due = queue_->NextDue(now);
  return due ? std::min(deadline, steady_clock::now() + (*due - now))
             : deadline;
}

}  // namespace fluxnetes::cluster
