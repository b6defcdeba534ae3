// A gang: tasks that are placed on nodes all at one time, or not at all; and
// the result of an attempt. A task needs amounts of resources on one node.
// Several tasks may share a node.
//
// Plain values; node_graph.h places gangs.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "matcher/nodes/node_set.h"
#include "matcher/units.h"

namespace fluxnetes::matcher {

inline constexpr int kMaxTasks = 1 << 20;  // in a gang

// Tasks of one shape. `amounts` are in the order of the graph's resources;
// missing ones are 0.
struct TaskGroup {
  std::vector<std::int64_t> amounts;
  const NodeSet* eligible = nullptr;  // null: every node
  int count = 1;
  RulesId rules = kNoRules;  // see NodeGraph::TakeRules
  // What each task takes inside of its node, besides the amounts: see
  // NodeGraph::TakeInside.
  ShapeId inside = kNoShape;
  // The devices that each task takes: see NodeDevices::Take.
  DevicesId devices = kNoDevices;
  // The tasks count neither for the numbers of the gang's levels nor for
  // TasksPerNode. They go where the gang's other tasks are by the levels
  // without a number.
  bool uncounted = false;
};

// In each value of a label, the number of the gang's tasks that count is a
// multiple of `tasks`; 0: all tasks are in one value.
struct TopologyLevel {
  std::string key;
  int tasks = 0;
  bool operator==(const TopologyLevel&) const = default;
};

// The number of a gang's tasks on each of its nodes.
struct TasksPerNode {
  int tasks = 0;         // 0: any number
  bool at_most = false;  // else exactly so many
  bool operator==(const TasksPerNode&) const = default;
};

// An amount of a pool of the whole cluster (NodeGraph::AddPool), such as
// licences. The gang takes it once, however many tasks it has.
struct PoolNeed {
  NodeIndex pool = -1;
  std::int64_t amount = 1;
  // What is left of the pool is for another gang: this one does not fit.
  bool kept = false;
  bool operator==(const PoolNeed&) const = default;
};

struct Gang {
  std::vector<TaskGroup> groups;
  Time duration = kForever;  // seconds, at least 1
  // Keys of node labels, such as "rack" and "zone". All tasks go to nodes with
  // the same value of the first key under which the gang fits. Of the values of
  // a key, those whose nodes have the least free are tried first. A gang that
  // fits under no key may go anywhere, unless `together_required`. Then all its
  // nodes also have the same value of the last key, whichever key it fits
  // under.
  std::vector<std::string> together = {};
  bool together_required = false;
  // Nodes of other tasks that this gang must be together with, one for each
  // task: only the label values of these nodes are tried.
  std::vector<NodeIndex> beside = {};
  // The nodes of those other tasks that do not count for levels and tasks per
  // node, if the gang has any: a node for each, which is not in `beside`.
  std::vector<NodeIndex> uncounted_beside = {};
  // In place of `together`: levels of the topology, the innermost first. The
  // number of tasks of each divides that of the next. The last `required` of
  // them hold. Those before are left out, the innermost first, until the gang
  // fits. It uses as few values of a level as it can. Tasks of `beside` count:
  // values that lack some of theirs get these first, and the last tasks may be
  // fewer than a level's.
  std::vector<TopologyLevel> levels = {};
  int required = 0;
  // As with levels, nodes of `beside` that lack tasks get these first.
  TasksPerNode per_node = {};
  // The gang has its nodes for itself as long as it holds them: no other job is
  // there, and none is placed there. Its own tasks may share a node.
  bool whole_nodes = false;
  // Gangs with whole nodes and the same holder may share nodes; 0: the number
  // of the job.
  JobId holder = 0;
  // The gang may be on nodes that others have for themselves, and keeps nobody
  // away from a node; for the pods of DaemonSets. Not with `whole_nodes`.
  bool aside = false;
  std::vector<PoolNeed> pools = {};  // each pool once
};

// How booked tasks share their nodes with other jobs: as in Gang.
struct Seating {
  bool whole_nodes = false;
  JobId holder = 0;
  bool aside = false;
};
inline Seating SeatingOf(const Gang& gang) {
  return {gang.whole_nodes, gang.holder, gang.aside};
}

// Where a gang goes: its start, and the node of every task, in order of group
// and task.
struct Placement {
  Time start = 0;
  std::vector<NodeIndex> nodes;
  // What each task has inside of its node (inside/parts_text.h); empty texts
  // for tasks that have nothing there. Empty if no group asks for an inside.
  std::vector<std::string> parts = {};
  // The devices of each task (devices/devices_text.h), likewise.
  std::vector<std::string> devices = {};
};

enum class NoFit {
  kNow,     // not now, but it would if no job held anything
  kNever,   // not even if no job held anything
  kNoTime,  // AllocateOrReserve(): it could, but no start is known
};

using MatchResult = std::variant<Placement, NoFit>;

}  // namespace fluxnetes::matcher
