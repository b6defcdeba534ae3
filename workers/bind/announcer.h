// Tells of bindings by events, behind them: an event costs the API server about
// as much as a binding, so events wait while pods are being bound, but no
// longer than `patience`; then they are sent beside the bindings. Where few
// wait they go one by one, so that a binding that begins finds the API server
// free.
//
// In memory and best effort, as an event is: what waits when the process is
// killed is not told. More than `capacity` are not kept, and counted.
//
// Put() from any thread, RunOnce() and Flush() from one. They throw
// cluster::Unreachable; what they were about to send goes first the next time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "cluster/cluster.h"
#include "workers/loops/own_bindings.h"

namespace fluxnetes::workers {

class Announcer {
 public:
  struct Options {
    int batch = 64;
    std::size_t capacity = 100'000;
    std::chrono::milliseconds pause{100};  // without a new binding
    std::chrono::milliseconds patience{30'000};
  };

  Announcer(cluster::Cluster& cluster, const OwnBindings& bindings,
            Options options)
      : cluster_(cluster), bindings_(bindings), options_(options) {}

  void Put(std::vector<cluster::PodEvent> events, cluster::Time now);

  // Sends a batch if it may; true if more can be sent at once.
  bool RunOnce(cluster::Time now);

  // Sends at most so many without waiting, for a stop. The number of those
  // that are left.
  std::size_t Flush(std::size_t most);

  std::int64_t dropped() const { return dropped_; }

 private:
  struct Waiting {
    cluster::PodEvent event;
    cluster::Time since;
  };

  bool May(cluster::Time now) const;  // mutex_ is held
  bool Send(std::size_t most);

  cluster::Cluster& cluster_;
  const OwnBindings& bindings_;
  const Options options_;
  std::atomic<std::int64_t> dropped_{0};

  mutable std::mutex mutex_;
  // Protected by mutex_.
  std::deque<Waiting> waiting_;
  cluster::Time last_put_{};
};

}  // namespace fluxnetes::workers
