// The settings of a scheduling queue, and the names of their values; schedule.h
// describes what they do.
// Tests: tests/workers/schedule/schedule_order_test.cc,
// tests/services/editing/queue_command_pgtest.cc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "matcher/policy.h"
#include "workers/decision/decision.h"

namespace fluxnetes::workers {

enum class QueuePolicy { kFcfs, kEasy, kConservative, kHybrid };

std::string_view ToString(QueuePolicy policy);
std::optional<QueuePolicy> ParseQueuePolicy(std::string_view name);

// The order of groups of equal priority.
enum class QueueOrder {
  kArrival,    // by time of submission
  kShortest,   // shortest first, with ageing: pending_line.h
  kFairShare,  // least use per weight first: fair_share.h
};

std::string_view ToString(QueueOrder order);
std::optional<QueueOrder> ParseQueueOrder(std::string_view name);

// The groups that groups of a queue may evict: none; those of lower priority;
// those of no higher priority that run on quota lent by the group's account
// (quotas.h); or both.
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
  double ageing = 10;  // for kShortest
  // For kFairShare, in seconds; among queues that share nodes the longest
  // counts.
  std::int64_t half_life = 7 * 86'400;
  matcher::Policy match_policy = matcher::Policy::kLonode;
  int queue_depth = 100'000;
  // For conservative and hybrid queues; if not set, 1,000 and 64.
  std::optional<int> reservation_depth = {};
  bool paused = false;
  // Seconds, for planning only.
  std::optional<std::int64_t> assumed_duration = {};
  Preemption preemption = Preemption::kNever;
  bool whole_nodes = false;  // all its groups have their nodes for themselves
  // Labels of nodes, outermost first: the levels that its groups may name.
  std::vector<std::string> topology = {};
  bool operator==(const QueueSettings&) const = default;
};

// How groups of the queue with this topology share their nodes. The match
// policies lonodex, hinodex and firstnodex give whole nodes, too.
Sharing SharingOf(const cluster::GroupTopology& topology,
                  const QueueSettings& queue);

}  // namespace fluxnetes::workers
