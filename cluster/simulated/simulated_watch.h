// A watch on a simulated cluster: the queue of events that one watcher has not
// taken yet.
//
// The cluster pushes, under its own lock; one watcher takes. A queue that is
// full, or whose connection was dropped, clears itself and asks for a list.
// Tests: tests/cluster/simulated/simulated_cluster_test.cc.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "cluster/cluster.h"

namespace fluxnetes::cluster {

class WatchQueue {
 public:
  explicit WatchQueue(std::size_t capacity) : capacity_(capacity) {}

  // Queues an event for delivery at `due` or later, in order.
  void Push(WatchEvent event, Time due);
  // Loses the queued events, as when the connection drops.
  void Drop();
  void Silence(bool silent);
  void Wake();

  bool WantsList() const;
  void PutList(std::vector<WatchEvent> list);

  // Takes up to `limit` events that are due by `now`.
  std::vector<WatchEvent> Take(int limit, Time now);
  // Returns when the first event that was not due at `now` is due.
  std::optional<Time> NextDue(Time now) const;
  // Waits until an event was pushed, Wake() was called, or `until` has passed.
  void Wait(std::chrono::steady_clock::time_point until,
            std::uint64_t seen) const;
  std::uint64_t Changes() const;

 private:
  struct Entry {
    WatchEvent event;
    Time due{};
  };
  void Forget();

  const std::size_t capacity_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  // Protected by mutex_.
  std::vector<WatchEvent> list_;  // delivered before the events
  std::size_t listed_ = 0;        // number of its events already taken
  std::deque<Entry> events_;
  Time last_due_{};
  std::uint64_t changes_ = 0;
  bool wants_list_ = true;
  bool silent_ = false;
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
