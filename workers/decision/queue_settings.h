// What is set of a queue, and the names of its choices; schedule.h says what
// they do.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "matcher/policy.h"

namespace fluxnetes::workers {

enum class QueuePolicy { kFcfs, kEasy, kConservative, kHybrid };

std::string_view ToString(QueuePolicy policy);
std::optional<QueuePolicy> ParseQueuePolicy(std::string_view name);

// Who goes first of those of one priority.
enum class QueueOrder {
  kArrival,    // who was submitted first
  kShortest,   // who takes the least time, with ageing: pending_line.h
  kFairShare,  // whose account has used least for its weight: fair_share.h
};

std::string_view ToString(QueueOrder order);
std::optional<QueueOrder> ParseQueueOrder(std::string_view name);

// Whom groups of a queue may evict: nobody, those of lower priority, those that
// hold what was lent to their accounts of the group's own quota (quotas.h) and
// have no higher priority, or these and those.
enum class Preemption { kNever, kLowerPriority, kReclaim, kBoth };

inline bool EvictsLower(Preemption preemption) {
  return preemption == Preemption::kLowerPriority ||
         preemption == Preemption::kBoth;
}
inline bool TakesBack(Preemption preemption) {
  return preemption == Preemption::kReclaim || preemption == Preemption::kBoth;
}

std::string_view ToString(Preemption preemption);
std::optional<Preemption> ParsePreemption(std::string_view name);

struct QueueSettings {
  std::string name = "default";
  std::map<std::string, std::string> node_selector = {};
  QueuePolicy queue_policy = QueuePolicy::kEasy;
  QueueOrder queue_order = QueueOrder::kArrival;
  double ageing = 10;  // of shortest first
  // Of fair shares, in seconds; of queues that share nodes the longest counts.
  std::int64_t half_life = 7 * 86'400;
  matcher::Policy match_policy = matcher::Policy::kLonode;
  int queue_depth = 100'000;
  // Of conservative and hybrid queues; without it, 1,000 and 64.
  std::optional<int> reservation_depth = {};
  bool paused = false;
  std::optional<std::int64_t> assumed_duration = {};  // seconds, planning only
  Preemption preemption = Preemption::kNever;
  bool operator==(const QueueSettings&) const = default;
};

}  // namespace fluxnetes::workers
