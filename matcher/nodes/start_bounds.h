// For tasks of given needs and duration: a time for each node before which it
// has no room for one, beside everything booked there. A search for the
// earliest start skips the node until then. It fails at once if fewer tasks
// have room before its limit than it must place.
//
// A bound holds for all durations from a power of 2 up to the next one. Bounds
// are computed when they are first requested. A node that changes is noted, and
// recomputed when the bounds are next requested. Bounds stay true as time goes
// on; when time goes back they must be cleared.
//
// Part of NodeColumns; owned by its thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "matcher/nodes/node_order.h"
#include "matcher/nodes/node_set.h"
#include "matcher/units.h"

namespace fluxnetes::matcher {

class StartBounds {
 public:
  // Returns when a task first has room on the node for this duration; kForever:
  // never.
  using FirstFit = std::function<Time(NodeIndex node, Time duration)>;

  // Returns the bounds by node. The reference is valid until the next call.
  const std::vector<Time>& Of(const std::vector<Need>& needs, Time duration,
                              int nodes, const FirstFit& first_fit);

  // Must be called when the bookings or the amounts of the node have changed.
  void Changed(NodeIndex node);
  void Clear();

 private:
  struct Entry {
    std::vector<Time> bounds;  // [node]
    std::uint64_t seen = 0;    // changes that it includes
  };
  struct Change {
    std::uint64_t number = 0;
    NodeIndex node = -1;
  };

  bool IsLatest(const Change& change) const {
    return latest_[change.node] == change.number;
  }

  std::map<std::pair<Time, std::vector<Need>>, Entry> entries_;
  std::uint64_t changed_ = 0;    // changes so far
  std::vector<Change> changes_;  // in order; only the latest of a node counts
  std::vector<std::uint64_t> latest_;  // [node]: number of its latest change
};

}  // namespace fluxnetes::matcher
