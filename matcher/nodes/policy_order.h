// How a NodeGraph reads a match policy: in which order it fills nodes.
//
// A task is to a node what a slot is to Fluxion: so many of its units, with the
// ids in which Fluxion numbers them on each node. What a node holds is not
// known by id. It counts as the lowest ids for a policy that takes the lowest
// first, and as the highest for any other.
//
//   kNone    nodes in the order of their ids, or of their addition; each is
//            filled before the next is used
//   kUnits   the node whose next units have the lowest ids, or the highest;
//            looked at again for every task, so that tasks spread out
//   kRuns    as Fluxion's locality: the tasks of all nodes, by the sum of their
//            ids; sums without a gap form a run. The run of the highest sums is
//            used first, node by node
//   kClass   the node of the lowest performance class; filled before the next
//
// Of equal nodes, the one that was added first comes first.
// Tests: tests/matcher/nodes/scored_nodes_test.cc.
#pragma once

#include <cstdint>

#include "matcher/policy.h"

namespace fluxnetes::matcher {

struct PolicyOrder {
  enum class Score : std::uint8_t { kNone, kUnits, kRuns, kClass };

  PolicyOrder() = default;
  explicit PolicyOrder(const Policy& policy);

  // The order of nodes without a score, and of those with equal ones.
  bool by_id = true;  // else by index
  bool descending = false;
  Score score = Score::kNone;
  bool highest_first = false;  // of the ids of units
};

}  // namespace fluxnetes::matcher
