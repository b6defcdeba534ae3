// Counters and histograms of groups for /metrics: how many got nodes, how long
// they waited, the error of their estimated start, and how many were bound or
// sent back. They cover what this process has decided and bound.
//
// Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "services/monitoring/metrics_page.h"
#include "sql/mutex.h"

namespace fluxnetes::services {

class GroupCounts {
 public:
  // A group that got nodes; times in seconds. nullopt: it had started before,
  // or had no estimate.
  struct Allocated {
    std::string queue;
    std::int64_t pods = 0;
    std::optional<double> waited = {};
    // The actual start minus the first and the last estimate; below 0: earlier.
    std::optional<double> later_than_first = {};
    std::optional<double> later_than_last = {};
  };

  void NoteAllocated(const Allocated& group) EXCLUDES(mutex_);
  void NoteReserved(const std::string& queue) EXCLUDES(mutex_);
  void NoteEvicted(std::int64_t groups) EXCLUDES(mutex_);
  void NoteBound(std::int64_t bound, std::int64_t sent_back) EXCLUDES(mutex_);

  void AddTo(MetricsPage& page) const EXCLUDES(mutex_);

 private:
  // From 1 s to 10 d.
  static constexpr std::array<double, 13> kBounds = {
      1,     3,      10,     30,     60,      300,    900,
      3'600, 10'800, 21'600, 86'400, 259'200, 864'000};
  struct Times {
    std::array<std::uint64_t, kBounds.size() + 1> within{};
    double sum = 0;
    void Note(double seconds);
  };
  struct OfQueue {
    std::int64_t groups = 0;
    std::int64_t pods = 0;
    std::int64_t reserved = 0;
    Times waited;
  };

  mutable sql::Mutex mutex_;
  std::map<std::string, OfQueue> queues_ GUARDED_BY(mutex_);
  // By queue, "first" or "last", "late" or "early".
  std::map<std::tuple<std::string, std::string, std::string>, Times> errors_
      GUARDED_BY(mutex_);
  std::int64_t evicted_ GUARDED_BY(mutex_) = 0;
  std::int64_t bound_ GUARDED_BY(mutex_) = 0;
  std::int64_t sent_back_ GUARDED_BY(mutex_) = 0;
};

}  // namespace fluxnetes::services
