// The rules of NodeGraph once more, in the plainest way: every question goes
// through all tasks of all jobs and all moments. For comparison.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "matcher/gangs/explanation.h"
#include "matcher/gangs/gang.h"
#include "matcher/policy.h"
#include "tests/matcher/plain/plain_rules.h"

namespace fluxnetes::matcher {

class PlainNodeGraph {
 public:
  struct Node {
    std::int64_t id = 0;
    bool present = true;
    bool open = true;
    std::vector<std::int64_t> totals;
    std::vector<std::int64_t> unmanaged;
    std::vector<RulesId> unmanaged_tasks = {};
    int occupants = 0;
    std::int64_t performance_class = kWorstClass;
  };
  struct Task {
    JobId job = 0;
    int position = 0;
    NodeIndex node = 0;
    Time start = 0;
    Time end = 0;
    std::vector<std::int64_t> amounts;
    RulesId rules = kNoRules;
    Seating seating = {};  // with its holder
  };

  explicit PlainNodeGraph(int resources) : resources_(resources) {}

  std::vector<Node>& nodes() { return nodes_; }
  std::vector<PlainLabelledNode>& labelled() {
    return labelled_;
  }  // parallel to nodes()
  std::map<RulesId, TaskRules>& rules() { return rules_; }
  const std::vector<Task>& tasks() const { return tasks_; }
  bool Holds(NodeIndex node) const;

  MatchResult Allocate(JobId job, const Gang& gang, Policy policy, Time now);
  MatchResult AllocateOrReserve(JobId job, const Gang& gang, Policy policy,
                                Time now);
  bool Satisfiable(const Gang& gang, Policy policy) const;
  // Changes most_; callers use a copy.
  Explanation Explain(const Gang& gang, Policy policy, Time now);
  int CountFits(const TaskGroup& group, Time duration, Time now, int limit,
                const Seating& seating) const;
  void Restore(JobId job, Time start, Time end, NodeIndex node,
               const std::vector<std::vector<std::int64_t>>& amounts,
               RulesId rules = kNoRules, const Seating& seating = {});
  bool Release(JobId job, int position);
  bool Cancel(JobId job);
  std::int64_t Free(NodeIndex node, int resource, Time now) const;

 private:
  using Amounts = std::vector<std::vector<std::int64_t>>;  // [node][resource]

  static std::int64_t AmountOf(const TaskGroup& group, int resource);
  std::int64_t Used(NodeIndex node, int resource, Time at, Time now) const;
  static Seating Seated(JobId job, Seating seating);
  bool IsBarred(NodeIndex node, const Seating& seating, Time from, Time end,
                Time now) const;
  void Bar(const Seating& seating, Time from, Time end, Time now) const;
  void BarOnEmpty(const Seating& seating) const;
  Amounts Empty() const;
  Amounts Least(Time from, Time duration, Time now) const;
  std::vector<NodeIndex> Order(Policy policy) const;
  // True unless nodes are filled one after the other, in the order of ids or of
  // addition.
  static bool ScoresTasks(Policy policy);
  // The gang with whole nodes, if only the policy gives it these.
  static std::optional<Gang> Whole(const Gang& gang, Policy policy);
  std::vector<NodeIndex> Slots(const Amounts& free, const TaskGroup& group,
                               const std::vector<NodeIndex>& among) const;
  std::vector<NodeIndex> FillByScore(Amounts& free, PlacedRules& around,
                                     const TaskGroup& group,
                                     const std::vector<NodeIndex>& among) const;
  const TaskRules* RulesOf(RulesId id) const;
  PlacedRules Around(Time at, Time duration, Time now) const;
  PlacedRules Nobody() const;
  bool HasRoom(const Amounts& free, NodeIndex node,
               const TaskGroup& group) const;
  std::vector<int> HardestFirst(const Gang& gang) const;
  void FollowersLast(const Gang& gang, std::vector<int>& order) const;
  std::vector<NodeIndex> Fill(Amounts& free, PlacedRules& around,
                              const TaskGroup& group,
                              const std::vector<NodeIndex>& among) const;
  std::vector<NodeIndex> PlaceGroup(Amounts& free, PlacedRules& around,
                                    const TaskGroup& group,
                                    const std::vector<NodeIndex>& among) const;
  using Placed = std::optional<std::vector<NodeIndex>>;
  Placed PlaceIn(Amounts free, PlacedRules around, const Gang& gang,
                 const std::vector<NodeIndex>& among,
                 const std::vector<int>& order) const;
  Placed PlaceAmong(const Amounts& free, const PlacedRules& around,
                    const Gang& gang,
                    const std::vector<NodeIndex>& among) const;
  Placed PlaceTogether(const Amounts& free, const PlacedRules& around,
                       const Gang& gang, const std::vector<NodeIndex>& among,
                       const std::string& key) const;
  Placed Place(const Amounts& free, const PlacedRules& around, const Gang& gang,
               Policy policy) const;
  bool Counts(const PlacedRules& around, const Gang& gang,
              const std::string& key, NodeIndex node) const;
  GroupExplanation ExplainGroup(const Gang& gang, const TaskGroup& group,
                                Time now) const;
  Placement Book(JobId job, const Gang& gang, Time start,
                 std::vector<NodeIndex> nodes);

  int resources_;
  std::vector<Node> nodes_;
  std::vector<PlainLabelledNode> labelled_;
  std::map<RulesId, TaskRules> rules_;
  std::vector<Task> tasks_;
  std::map<JobId, int> next_position_;
  // [node]: the tasks that are placed now may not be there, because of others.
  mutable std::vector<bool> barred_;
  mutable Policy policy_;          // of the gang that is placed
  mutable std::vector<int> most_;  // [group]: the most that PlaceIn() placed
  mutable int most_sum_ = -1;
};

}  // namespace fluxnetes::matcher
