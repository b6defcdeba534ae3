// For tasks of some needs that run so long: from when on each node may have
// room for one, beside all that is booked there. It has none before, so a
// search for the earliest start leaves it alone until then; and one for more
// tasks than have room anywhere before some time ends before it begins.
//
// Bounds hold for all durations from a power of 2 up to the next one. They are
// made when they are first asked for. Nodes that change are noted, and looked
// at again when the bounds are asked for the next time. As time goes on bounds
// stay true; when it goes back they are to be cleared.
//
// Part of a NodeTable; owned by its thread.
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
  // When a task first has room on the node for this duration; kForever: never.
  using FirstFit = std::function<Time(NodeIndex node, Time duration)>;

  // By node. Stay where they are until the next call.
  const std::vector<Time>& Of(const std::vector<Need>& needs, Time duration,
                              int nodes, const FirstFit& first_fit);

  // What is booked on the node, or what it has, was changed.
  void Changed(NodeIndex node);
  void Clear();

 private:
  struct Entry {
    std::vector<Time> bounds;  // [node]
    std::uint64_t seen = 0;    // so many changes
  };
  struct Change {
    std::uint64_t number = 0;
    NodeIndex node = -1;
  };

  bool IsLatest(const Change& change) const {
    return latest_[change.node] == change.number;
  }

  std::map<std::pair<Time, std::vector<Need>>, Entry> entries_;
  std::uint64_t changed_ = 0;          // so often
  std::vector<Change> changes_;        // in order; of a node the latest counts
  std::vector<std::uint64_t> latest_;  // [node], number of its change
};

}  // namespace fluxnetes::matcher
