// The most tasks of given needs for which each node has room, by the columns of
// a view. A node takes fewer only because of rules, eligibility or spans that
// start later. A search looks only at nodes with room. It fails at once if
// fewer tasks have room than it must place.
//
// Limits are computed when they are first requested. A node that changes is
// noted, and recomputed when the limits are next requested; so a change costs
// next to nothing, and unused limits cost nothing.
//
// Part of NodeColumns; owned by its thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "matcher/nodes/node_bits.h"
#include "matcher/nodes/node_order.h"

namespace fluxnetes::matcher {

class FitLimits {
 public:
  static constexpr std::uint8_t kMany = 255;

  struct Entry {
    std::vector<std::uint8_t> most;  // [node]; kMany: that many or more
    NodeBits room;                   // nodes with room for a task
    std::uint64_t seen = 0;          // changes that it includes

    // True if the nodes in both sets may have room for `tasks` tasks; null: all
    // nodes.
    bool Reaches(int tasks, const NodeSet* eligible,
                 const NodeBits* allowed) const;
  };

  FitLimits(const std::array<Columns, 3>& columns, NodeOrders& orders)
      : columns_(columns), orders_(orders) {}

  // Returns the limits for `needs`, which must not be empty. The reference is
  // valid until the next call.
  Entry& Of(View view, const std::vector<Need>& needs);

  // Must be called when the node's entries in the columns of the view changed.
  void Changed(View view, NodeIndex node);
  void Clear();

 private:
  // The limits of one view.
  struct Limits {
    std::map<std::vector<Need>, Entry> entries;
    std::vector<NodeIndex> changes;  // the latest
    std::uint64_t forgotten = 0;     // older changes that were dropped
  };

  void Count(const Columns& columns, const std::vector<Need>& needs,
             NodeIndex node, Entry& entry);

  const std::array<Columns, 3>& columns_;
  NodeOrders& orders_;
  std::array<Limits, 3> limits_;  // [view]
};

}  // namespace fluxnetes::matcher
