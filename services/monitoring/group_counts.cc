#include "services/monitoring/group_counts.h"

#include <algorithm>
#include <cmath>

namespace fluxnetes::services {

void GroupCounts::Times::Note(double seconds) {
  const auto bound = std::ranges::lower_bound(kBounds, seconds);
  ++within.at(static_cast<std::size_t>(bound - kBounds.begin()));
  sum += seconds;
}

void GroupCounts::NoteAllocated(const Allocated& group) {
  const sql::MutexLock lock(mutex_);
  OfQueue& queue = queues_[group.queue];
  ++queue.groups;
  queue.pods += group.pods;
  if (group.waited) queue.waited.Note(std::max(*group.waited, 0.0));
  const auto note = [&](const char* estimate,
                        std::optional<double> later) REQUIRES(mutex_) {
    if (later)
      errors_[{group.queue, estimate, *later < 0 ? "early" : "late"}].Note(
          std::abs(*later));
  };
  note("first", group.later_than_first);
  note("last", group.later_than_last);
}

void GroupCounts::NoteReserved(const std::string& queue) {
  const sql::MutexLock lock(mutex_);
  ++queues_[queue].reserved;
}

void GroupCounts::NoteEvicted(std::int64_t groups) {
  const sql::MutexLock lock(mutex_);
  evicted_ += groups;
}

void GroupCounts::NoteBound(std::int64_t bound, std::int64_t sent_back) {
  const sql::MutexLock lock(mutex_);
  bound_ += bound;
  sent_back_ += sent_back;
}

void GroupCounts::AddTo(MetricsPage& page) const {
  const sql::MutexLock lock(mutex_);
  const auto count = [&](const Metric& metric, std::int64_t value,
                         const MetricsPage::Labels& labels) {
    page.Add(metric, static_cast<double>(value), labels);
  };
  for (const auto& [name, queue] : queues_) {
    count(metrics::kGroupsAllocated, queue.groups, {name});
    count(metrics::kPodsAllocated, queue.pods, {name});
    count(metrics::kReservations, queue.reserved, {name});
    page.Add(metrics::kGroupWait,
             HistogramCounts{kBounds, queue.waited.within, queue.waited.sum},
             {name});
  }
  for (const auto& [key, times] : errors_) {
    const auto& [queue, estimate, direction] = key;
    page.Add(metrics::kEstimateError,
             HistogramCounts{kBounds, times.within, times.sum},
             {queue, estimate, direction});
  }
  count(metrics::kGroupsEvicted, evicted_, {});
  count(metrics::kGroupsBound, bound_, {});
  count(metrics::kGroupsSentBack, sent_back_, {});
}

}  // namespace fluxnetes::services
