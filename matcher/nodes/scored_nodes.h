// Nodes of equal standing that have room for tasks of one shape, in the order
// in which a policy with scores fills them: see policy_order.h.
//
//   scored.Begin(order, step);
//   for (each node, in order) scored.Add(node, score, tasks);
//   for (auto next = scored.Next(left); next.tasks > 0; ...) { place them }
//
// A node's score is that of its next task; each task takes `step` off what is
// good about it. Adding nodes costs no sort; a task costs the logarithm of the
// number of nodes. For kRuns the first task costs as much as a sort of all
// tasks that have room, unless their steps leave no gaps.
//
// Part of a NodeGraph; owned by its thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "matcher/nodes/node_set.h"
#include "matcher/nodes/policy_order.h"

namespace fluxnetes::matcher {

class ScoredNodes {
 public:
  struct Share {
    NodeIndex node = -1;
    int tasks = 0;
  };

  void Begin(const PolicyOrder& order, double step);
  void Add(NodeIndex node, double score, int tasks);
  // Returns the node for the next tasks, and how many of them it takes, up to
  // `most`, which is at least 1; no tasks: no node has room.
  Share Next(int most);

 private:
  struct Entry {
    double cost = 0;  // of its next task; the least comes first
    std::int32_t place = 0;
    std::int32_t tasks = 0;
    NodeIndex node = -1;
  };
  static bool Later(const Entry& a, const Entry& b) {
    return a.cost != b.cost ? a.cost > b.cost : a.place > b.place;
  }

  void Push(const Entry& entry);
  Entry Pop();
  Share NextOfHeap(int most);
  // Moves the tasks of the next run from the heap to run_.
  void FindRun();

  PolicyOrder::Score score_ = PolicyOrder::Score::kUnits;
  double sign_ = 1;
  double step_ = 0;
  bool made_ = false;  // entries_ is a heap
  std::vector<Entry> entries_;
  std::vector<Entry> run_;  // tasks of a run, by place; taken from next_ on
  std::size_t next_ = 0;
};

}  // namespace fluxnetes::matcher
