// What is free on one node from a moment on, as steps: nothing starts or ends
// there between two steps.
//
//   free  4 |      ____        ______
//         2 |_____|    |      |
//         0 |          |______|
//           now   60   100    160
//
// Part of a NodeGraph; owned by its thread.
// Tests: tests/matcher/gangs/gang_time_test.cc,
// tests/matcher/gangs/gang_random_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "matcher/nodes/node_set.h"
#include "matcher/nodes/span_store.h"
#include "matcher/units.h"

namespace fluxnetes::matcher {

// Amounts per resource that are booked on a node and that a search takes to
// leave it; empty: none.
struct Leaving {
  std::span<const std::int64_t> amounts = {};
  Time start = 0;
  Time end = 0;
};

// Amounts that were released, or taken, in [start, end), per resource.
struct NodeChange {
  Time start = 0;
  Time end = 0;
  std::span<const std::int64_t> amounts;
  bool taken = false;
};

class NodeProfile {
 public:
  using Sum = __int128;  // of amounts, which may be 2^62 each

  // `capacity` is what would be free on the node without spans.
  void Build(const SpanStore& spans, NodeIndex node,
             std::span<const Sum> capacity, Time now);
  void Drop() { free_.clear(); }

  // True if it was built and still holds at `now`.
  bool Holds(Time now) const {
    return !free_.empty() && built_ <= now &&
           (times_.empty() || now < times_.front());
  }

  // Computes the least that is free at any time in [from, end), per resource.
  void Least(Time from, Time end, std::span<std::int64_t> least,
             const Leaving& leaving = {}) const;

  // Returns the first time in [from, before) from which `tasks` tasks of these
  // amounts fit for `duration`. Missing amounts are 0.
  std::optional<Time> FirstFit(std::span<const std::int64_t> amounts,
                               Time duration, Time from, Time before,
                               std::size_t resources, int tasks = 1,
                               const Leaving& leaving = {}) const;
  // Returns how many tasks of these amounts fitted together at every time in
  // [from, end), up to `limit`, before the changes were made. There may have
  // been more.
  int LeastFitBefore(std::span<const NodeChange> changes,
                     std::span<const std::int64_t> amounts, Time from, Time end,
                     std::size_t resources, int limit,
                     const Leaving& leaving) const;
  // Returns how many tasks of these amounts fit together, up to `limit`, from
  // the best time in [from, before) on.
  int MostFit(std::span<const std::int64_t> amounts, Time duration, Time from,
              Time before, std::size_t resources, int limit,
              const Leaving& leaving) const;

 private:
  struct Change {
    Time time = 0;
    SpanId span = -1;
    bool takes = false;
  };

  Time built_ = 0;
  bool rising_ = true;              // no span starts, so `from` has the least
  std::vector<Time> times_;         // starts of the steps
  std::vector<std::int64_t> free_;  // [(step + 1) * resources + resource]
};

// Returns what is free, limited to the range of std::int64_t above kClosed.
std::int64_t Clamp(NodeProfile::Sum free);

}  // namespace fluxnetes::matcher
