// Records events about bindings after the bindings themselves. An event costs
// the API server about as much as a binding, so events wait while pods are
// being bound, but no longer than `patience`; then they are sent while bindings
// go on. Where few events wait, they are sent one by one, so that a binding
// that begins finds the API server free.
//
// Events are kept in memory and are best effort: those that wait when the
// process is killed are lost. At most `capacity` events wait; the others are
// dropped and counted.
//
// Put() from any thread, RunOnce() and Flush() from one. They throw
// cluster::Unreachable; the events that they were sending are sent first by the
// next call.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <vector>

#include "cluster/cluster.h"
#include "sql/mutex.h"
#include "workers/loops/binding_ledger.h"

namespace fluxnetes::workers {

class EventRecorder {
 public:
  struct Options {
    int batch = 64;
    std::size_t capacity = 100'000;
    std::chrono::milliseconds pause{100};  // without a new binding
    std::chrono::milliseconds patience{30'000};
  };

  EventRecorder(cluster::Cluster& cluster, const BindingLedger& bindings,
                Options options)
      : cluster_(cluster), bindings_(bindings), options_(options) {}

  void Put(std::vector<cluster::PodEvent> events, cluster::Time now)
      EXCLUDES(mutex_);

  // Sends a batch if events may be sent now. Returns true if more can be sent
  // at once.
  bool RunOnce(cluster::Time now) EXCLUDES(mutex_);

  // Sends at most `most` events without delay, as when the process stops.
  // Returns the number of events left.
  std::size_t Flush(std::size_t most) EXCLUDES(mutex_);

  std::int64_t dropped() const { return dropped_; }

 private:
  struct Waiting {
    cluster::PodEvent event;
    cluster::Time since;
  };

  bool May(cluster::Time now) const REQUIRES(mutex_);
  bool Send(std::size_t most) EXCLUDES(mutex_);

  cluster::Cluster& cluster_;
  const BindingLedger& bindings_;
  const Options options_;
  std::atomic<std::int64_t> dropped_{0};

  mutable sql::Mutex mutex_;
  std::deque<Waiting> waiting_ GUARDED_BY(mutex_);
  cluster::Time last_put_ GUARDED_BY(mutex_) = {};
};

}  // namespace fluxnetes::workers
