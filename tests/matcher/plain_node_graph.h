// The rules of NodeGraph once more, with nothing clever in them: every question
// goes through all tasks of all jobs, every moment is looked at. For comparing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "matcher/gang.h"

namespace fluxnetes::matcher {

class PlainNodeGraph {
 public:
  struct Node {
    std::int64_t id = 0;
    bool present = true;
    bool open = true;
    std::vector<std::int64_t> totals;
    std::vector<std::int64_t> foreign;
  };
  struct Task {
    JobId job = 0;
    int position = 0;
    NodeIndex node = 0;
    Time start = 0;
    Time end = 0;
    std::vector<std::int64_t> amounts;
  };

  explicit PlainNodeGraph(int resources) : resources_(resources) {}

  std::vector<Node>& nodes() { return nodes_; }
  const std::vector<Task>& tasks() const { return tasks_; }
  bool Holds(NodeIndex node) const;

  MatchResult Allocate(JobId job, const Gang& gang, Policy policy, Time now);
  MatchResult AllocateOrReserve(JobId job, const Gang& gang, Policy policy,
                                Time now);
  bool Satisfiable(const Gang& gang, Policy policy) const;
  int CountFits(const TaskGroup& group, Time duration, Time now,
                int limit) const;
  void Restore(JobId job, Time start, Time end, NodeIndex node,
               const std::vector<std::vector<std::int64_t>>& amounts);
  bool Release(JobId job, int position);
  bool Cancel(JobId job);
  std::int64_t Free(NodeIndex node, int resource, Time now) const;

 private:
  using Amounts = std::vector<std::vector<std::int64_t>>;  // [node][resource]

  std::int64_t Used(NodeIndex node, int resource, Time at, Time now) const;
  Amounts Empty() const;
  Amounts Least(Time from, Time duration, Time now) const;
  std::vector<NodeIndex> Order(Policy policy) const;
  bool Takes(Amounts& free, NodeIndex node, const TaskGroup& group) const;
  std::vector<int> HardestFirst(const Gang& gang) const;
  std::optional<std::vector<NodeIndex>> PlaceIn(
      Amounts free, const Gang& gang, Policy policy,
      const std::vector<int>& order) const;
  std::optional<std::vector<NodeIndex>> Place(const Amounts& free,
                                              const Gang& gang,
                                              Policy policy) const;
  Placement Book(JobId job, const Gang& gang, Time start,
                 std::vector<NodeIndex> nodes);

  int resources_;
  std::vector<Node> nodes_;
  std::vector<Task> tasks_;
  std::map<JobId, int> next_position_;
};

}  // namespace fluxnetes::matcher
