// Plans where the tasks of a gang would go, without changing anything: nodes
// in the order of the policy, each filled before the next. A plan looks at free
// amounts as they are now, forever, on empty nodes, or at a later time.
//
// Part of a NodeGraph; owned by its thread.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "matcher/fit_index.h"
#include "matcher/gang.h"
#include "matcher/node_table.h"

namespace fluxnetes::matcher {

// The free amounts that a plan is made on.
struct Ground {
  const Columns* columns = nullptr;
  const NodeOrder* order = nullptr;
  FitIndex* index = nullptr;  // null: look at every node
  bool descending = false;
  // Where set, nodes with a start ahead are looked at over [now, end).
  bool over_time = false;
  Time end = kForever;
};

// A run of tasks of a group on one node.
struct Run {
  NodeIndex node = -1;
  std::int32_t group = 0;
  std::int32_t tasks = 0;
  std::int32_t next = -1;  // on the same node
};

class GangPlan {
 public:
  explicit GangPlan(NodeTable& nodes) : nodes_(nodes) {}

  // The gang must outlive the plan. Throws std::invalid_argument.
  void SetGang(const Gang& gang);
  void SetGroup(const TaskGroup& group);  // for Count()

  // Whether all tasks find a place; runs() says where.
  bool Place(const Ground& ground);
  // How many tasks of the first group do, up to `limit`.
  int Count(const Ground& ground, int limit);

  int groups() const { return static_cast<int>(groups_.size()); }
  const TaskGroup& group(int group) const { return *groups_[group]; }
  // In order of group, then of the policy.
  const std::vector<Run>& runs() const { return runs_; }
  int tasks() const { return tasks_; }

  // How many tasks of the group go on a node with these columns, up to `limit`,
  // if the plan had nothing there.
  int CountAlone(const Columns& columns, NodeIndex node, int group,
                 int limit) const;

 private:
  void Compile();
  bool MayTake(NodeIndex node, int group) const;
  template <typename Free>
  int Divide(int group, int limit, std::int32_t last_run,
             const Free& free) const;
  int Fit(const Ground& ground, NodeIndex node, int group, int limit);
  int PlaceGroup(const Ground& ground, int group, int count);
  int PlaceInBlock(const Ground& ground, int block, int group, int count);
  bool PlaceInOrder(const Ground& ground, std::span<const int> order);
  std::vector<int> HardestFirst() const;
  void Clear();
  void SortRuns();

  NodeTable& nodes_;
  std::vector<const TaskGroup*> groups_;
  std::vector<std::vector<Need>> needs_;  // [group]
  std::vector<int> given_;                // the order as given
  std::vector<Run> runs_;
  std::vector<std::int32_t> last_run_;  // [node], -1: none
  std::vector<std::int64_t> least_;
  int tasks_ = 0;
};

}  // namespace fluxnetes::matcher
