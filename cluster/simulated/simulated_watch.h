// A watch on a simulated cluster: the queue of events that one watcher has not
// taken yet.
//
// The cluster pushes, under its own lock; one watcher takes. A queue that is
// full, or whose connection was dropped, clears itself and asks for a list.
// Tests: tests/cluster/simulated/simulated_cluster_test.cc.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "cluster/cluster.h"
#include "sql/condition_variable.h"
#include "sql/mutex.h"

namespace fluxnetes::cluster {

class WatchQueue {
 public:
  explicit WatchQueue(std::size_t capacity) : capacity_(capacity) {}

  // Queues an event for delivery at `due` or later, in order.
  void Push(WatchEvent event, Time due) EXCLUDES(mutex_);
  // Loses the queued events, as when the connection drops.
  void Drop() EXCLUDES(mutex_);
  void Silence(bool silent) EXCLUDES(mutex_);
  void Wake() EXCLUDES(mutex_);

  bool WantsList() const EXCLUDES(mutex_);
  void PutList(std::vector<WatchEvent> list) EXCLUDES(mutex_);

  // Takes up to `limit` events that are due by `now`.
  std::vector<WatchEvent> Take(int limit, Time now) EXCLUDES(mutex_);
  // Returns when the first event that was not due at `now` is due.
  std::optional<Time> NextDue(Time now) const EXCLUDES(mutex_);
  // Waits until an event was pushed, Wake() was called, or `until` has passed.
  void Wait(std::chrono::steady_clock::time_point until,
            std::uint64_t seen) const EXCLUDES(mutex_);
  std::uint64_t Changes() const EXCLUDES(mutex_);

 private:
  struct Entry {
    WatchEvent event;
    Time due{};
  };
  void Forget() REQUIRES(mutex_);

  const std::size_t capacity_;
  mutable sql::Mutex mutex_;
  mutable sql::ConditionVariable changed_;
  // Delivered before the events.
  std::vector<WatchEvent> list_ GUARDED_BY(mutex_);
  // Number of its events already taken.
  std::size_t listed_ GUARDED_BY(mutex_) = 0;
  std::deque<Entry> events_ GUARDED_BY(mutex_);
  Time last_due_ GUARDED_BY(mutex_) = {};
  std::uint64_t changes_ GUARDED_BY(mutex_) = 0;
  bool wants_list_ GUARDED_BY(mutex_) = true;
  bool silent_ GUARDED_BY(mutex_) = false;
};

class SimulatedWatch final : public Watch {
 public:
  struct Source {
    std::function<Time()> now;
    std::function<void(WatchQueue&)> list;  // puts a list
    bool real_time = false;
  };
  // The cluster refers to the queue as long as the watch exists.
  SimulatedWatch(std::shared_ptr<WatchQueue> queue, Source source);

  std::vector<WatchEvent> Next(int limit,
                               std::chrono::milliseconds timeout) override;

 private:
  std::chrono::steady_clock::time_point Until(
      std::chrono::steady_clock::time_point deadline) const;

  const std::shared_ptr<WatchQueue> queue_;
  const Source source_;
};

}  // namespace fluxnetes::cluster
