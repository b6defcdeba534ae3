// A watch on a simulated cluster: what the cluster has to tell one watcher and
// has not told yet.
//
// The cluster pushes, under its own lock; one watcher takes. A queue that is
// full, or whose connection was dropped, forgets everything and asks for a
// list.
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

  // To be delivered at `due` or later, in order.
  void Push(WatchEvent event, Time due);
  // What is under way is missed.
  void Drop();
  void Silence(bool silent);
  void Wake();

  bool WantsList() const;
  void PutList(std::vector<WatchEvent> list);

  // What is due by `now`, up to `limit`.
  std::vector<WatchEvent> Take(int limit, Time now);
  // When something is there that could not be taken at `now`.
  std::optional<Time> NextDue(Time now) const;
  // Until something was pushed, or woken up, or the time has come.
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
  std::vector<WatchEvent> list_;  // goes before the events
  std::size_t listed_ = 0;        // so many of it have been taken
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
  // The cluster holds the queue too, as long as there is a watch.
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
