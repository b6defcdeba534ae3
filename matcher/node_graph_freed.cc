// What a gang could do with what was freed: see NodeGraph::CountFreed.
#include <algorithm>

#include "matcher/gang.h"
#include "matcher/node_graph_state.h"

namespace fluxnetes::matcher {
namespace {

// When a gang can start at the earliest that uses something from then on.
Time FirstStart(Time from, Time duration) {
  return duration >= from ? 0 : from - duration + 1;
}

Time EndAfter(Time start, Time duration) {
  return duration >= kForever - start ? kForever : start + duration;
}

class FreedCount {
 public:
  FreedCount(NodeTable& nodes, std::vector<int>& owned,
             std::vector<int>& counted, const Gang& gang, const Placement& own)
      : nodes_(nodes),
        owned_(owned),
        counted_(counted),
        gang_(gang),
        own_(own) {
    owned_.resize(nodes.size());
    counted_.resize(nodes.size());
    for (const NodeIndex node : own.nodes) ++owned_[node];
  }
  ~FreedCount() {
    for (const NodeIndex node : own_.nodes) owned_[node] = 0;
  }
  FreedCount(const FreedCount&) = delete;
  FreedCount& operator=(const FreedCount&) = delete;

  int Count(GangPlan& plan, const TaskGroup& group,
            std::span<const Freed> freed, Time now, int enough) {
    plan.SetGroup(group);
    const auto& starts =
        nodes_.Starts(plan.needs(0), group.amounts, gang_.duration);
    int sum = 0;
    for (const Freed& each : freed) {
      const Time last = std::min(own_.start, each.end);
      const Time first = std::max(FirstStart(each.from, gang_.duration), now);
      if (first >= last) continue;
      for (const NodeIndex node : each.nodes) {
        const bool mine = owned_[node] > 0;
        if (!mine && starts[node] >= last) continue;
        if (!plan.MayTake(node, 0) || sum >= enough) continue;
        const int limit = std::min(group.count, counted_[node] + enough - sum);
        const int most =
            Most(plan, group, node, first, last, limit) - counted_[node];
        if (most <= 0) continue;
        if (counted_[node] == 0) touched_.push_back(node);
        counted_[node] += most;
        sum += most;
      }
    }
    for (const NodeIndex node : touched_) counted_[node] = 0;
    touched_.clear();
    return sum;
  }

 private:
  int Most(const GangPlan& plan, const TaskGroup& group, NodeIndex node,
           Time first, Time last, int limit) {
    // Tasks of several groups may leave it: more than it has they cannot.
    if (owned_[node] > 0 && gang_.groups.size() > 1)
      return plan.CountAlone(nodes_.At(View::kEmpty), node, 0, limit);
    if (!nodes_.TakesTasks(node)) return 0;
    return nodes_.Profile(node).MostFit(
        group.amounts, gang_.duration, first, last, nodes_.resources(), limit,
        {owned_[node], own_.start, EndAfter(own_.start, gang_.duration)});
  }

  NodeTable& nodes_;
  std::vector<int>& owned_;
  std::vector<int>& counted_;
  const Gang& gang_;
  const Placement& own_;
  std::vector<NodeIndex> touched_;
};

}  // namespace

int NodeGraph::CountFreed(const Gang& gang, const Placement& own,
                          std::span<const Freed> freed, Time now,
                          int enough) const {
  NodeTable& nodes = state_->nodes;
  nodes.ComeTo(now);
  nodes.Refresh();
  FreedCount count(nodes, state_->owned, state_->counted, gang, own);
  int sum = 0;
  for (const TaskGroup& group : gang.groups)
    sum += count.Count(state_->plan, group, freed, now, enough - sum);
  return sum;
}

}  // namespace fluxnetes::matcher
