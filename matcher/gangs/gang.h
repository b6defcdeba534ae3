// A gang: tasks that are all placed on nodes at one time, or none of them; and
// what comes of the attempt. A task needs amounts of resources on one node, and
// several tasks may share a node.
//
// Values; node_graph.h places them.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "matcher/nodes/node_set.h"
#include "matcher/units.h"

namespace fluxnetes::matcher {

inline constexpr int kMaxTasks = 1 << 20;  // of a gang

// Tasks of one shape. `amounts` in the order of the graph's resources; those
// left out are 0.
struct TaskGroup {
  std::vector<std::int64_t> amounts;
  const NodeSet* eligible = nullptr;  // null: every node
  int count = 1;
  RulesId rules = kNoRules;  // see NodeGraph::TakeRules
};

struct Gang {
  std::vector<TaskGroup> groups;
  Time duration = kForever;  // seconds, at least 1
  // Keys of node labels: all tasks on nodes with the same value of the first of
  // them with which they fit ("rack", "zone"); of its values the one whose
  // nodes have the least free. Where they fit under none, they may stand
  // anywhere, unless it is required: then all nodes have the same value of the
  // last key, under whichever they fit.
  std::vector<std::string> together = {};
  bool together_required = false;
  // Nodes on which other tasks stand that these are to be together with: only
  // the values of these nodes count.
  std::vector<NodeIndex> beside = {};
};

// The node of every task: groups in order, tasks in order.
struct Placement {
  Time start = 0;
  std::vector<NodeIndex> nodes;
};

enum class NoFit {
  kNow,     // not at present, but on the same nodes when others have gone
  kNever,   // not even if all nodes were empty
  kNoTime,  // AllocateOrReserve: it could, but at no time that can be given
};

using MatchResult = std::variant<Placement, NoFit>;

}  // namespace fluxnetes::matcher
