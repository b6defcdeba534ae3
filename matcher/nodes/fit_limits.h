// How many tasks of some needs have room on each node at most, by the columns
// of a view: more than a node takes only where rules, eligibility or spans that
// start later say so. A search looks at no other nodes, and one for more tasks
// than have room at all ends before it begins.
//
// Limits are made when they are first asked for. Nodes that change are noted,
// and looked at again when the limits are asked for the next time; so a change
// costs next to nothing, and limits that nobody asks for cost nothing.
//
// Part of a NodeTable; owned by its thread.
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
    std::vector<std::uint8_t> most;  // [node], kMany: or more
    NodeBits room;                   // for one task at least
    std::uint64_t seen = 0;          // so many changes

    // Whether there may be room for so many tasks on nodes that are in both;
    // null: all are.
    bool Reaches(int tasks, const NodeSet* eligible,
                 const NodeBits* allowed) const;
  };

  FitLimits(const std::array<Columns, 3>& columns, NodeOrders& orders)
      : columns_(columns), orders_(orders) {}

  // `needs` are not empty. Stays where it is until the next call.
  Entry& Of(View view, const std::vector<Need>& needs);

  // The node's entries in the columns of the view were changed.
  void Changed(View view, NodeIndex node);
  void Clear();

 private:
  // Of a view.
  struct Limits {
    std::map<std::vector<Need>, Entry> entries;
    std::vector<NodeIndex> changes;  // the last ones
    std::uint64_t forgotten = 0;     // so many before these
  };

  void Count(const Columns& columns, const std::vector<Need>& needs,
             NodeIndex node, Entry& entry);

  const std::array<Columns, 3>& columns_;
  NodeOrders& orders_;
  std::array<Limits, 3> limits_;  // [view]
};

}  // namespace fluxnetes::matcher
