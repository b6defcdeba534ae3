// What became of groups, counted for /metrics: how many were given nodes, how
// long they had waited, by how much it had been wrong when they would start,
// how many were bound or sent back. Of what this process has decided and bound.
//
// Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>

#include "services/monitoring/metrics_page.h"

namespace fluxnetes::services {

class GroupCounts {
 public:
  // A group that was given nodes; seconds. Nothing: it had started before, or
  // nobody had said when it would start.
  struct Allocated {
    std::string queue;
    std::int64_t pods = 0;
    std::optional<double> waited = {};
    // It started so much later than was said first and last; below 0: earlier.
    std::optional<double> later_than_first = {};
    std::optional<double> later_than_last = {};
  };

  void NoteAllocated(const Allocated& group);
  void NoteReserved(const std::string& queue);
  void NoteEvicted(std::int64_t groups);
  void NoteBound(std::int64_t bound, std::int64_t sent_back);

  void AddTo(MetricsPage& page) const;

 private:
  // From a second to ten days.
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

  mutable std::mutex mutex_;
  // Protected by mutex_.
  std::map<std::string, OfQueue> queues_;
  // By queue, "first" or "last", "late" or "early".
  std::map<std::tuple<std::string, std::string, std::string>, Times> errors_;
  std::int64_t evicted_ = 0;
  std::int64_t bound_ = 0;
  std::int64_t sent_back_ = 0;
};

}  // namespace fluxnetes::services
