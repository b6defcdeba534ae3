#include "matcher/gangs/gang_plan.h"

namespace fluxnetes::matcher {

// Places the tasks of a group with rules on other tasks one by one, and looks
// at all nodes each time. Nodes of fewer points are used when those of more
// have no room left.
int GangPlan::FillByScore(const PlanBasis& basis, int group, int count) {
  const bool alone = groups_[group].alone;
  int placed = 0;
  while (placed < count) {
    scan_.Gather(gathered_);
    if (gathered_.empty()) break;
    Score(basis, group, count - placed);
    bool any = false;
    while (placed < count && (alone || !any)) {
      const ScoredNodes::Share next = scored_.Next(alone ? count - placed : 1);
      if (next.tasks == 0) break;
      AddRun(basis, next.node, group, next.tasks);
      CountRun(basis, next.node, group, next.tasks);
      placed += next.tasks;
      any = true;
    }
    if (any && !alone) {
      scan_.PlacedOne();
    } else {
      scan_.PassAll(gathered_);
    }
  }
  return placed;
}

// Scores the gathered nodes that have room. A run is made of all tasks that
// have room, not only of those that are placed.
void GangPlan::Score(const PlanBasis& basis, int group, int most) {
  const bool all = basis.order.score == PolicyOrder::Score::kRuns;
  scored_.Begin(basis.order, StepOf(group));
  for (const NodeIndex node : gathered_) {
    const int fit = Fit(basis, node, group, all ? kMaxTasks : most);
    if (fit > 0) scored_.Add(node, ScoreOf(basis, node, group), fit);
  }
}

double GangPlan::ScoreOf(const PlanBasis& basis, NodeIndex node, int group) {
  if (basis.order.score == PolicyOrder::Score::kClass)
    return static_cast<double>(nodes_.Class(node));
  const bool of_held = basis.order.score == PolicyOrder::Score::kUnits &&
                       !basis.order.highest_first;
  const bool looks = basis.over_time && nodes_.StartsBefore(node, basis.end);
  if (looks) nodes_.Profile(node).Least(nodes_.now(), basis.end, least_);
  double score = 0;
  for (const Need& need : groups_[group].needs) {
    const auto unit = static_cast<double>(nodes_.Unit(need.resource));
    if (unit == 0 || need.resource == nodes_.seats()) continue;
    std::int64_t free =
        looks ? least_[need.resource] : (*basis.columns)[need.resource][node];
    for (std::int32_t i = last_run_[node]; i >= 0; i = runs_[i].next) {
      const auto& amounts = groups_[runs_[i].group].asked->amounts;
      if (need.resource >= static_cast<int>(amounts.size())) continue;
      free -= runs_[i].tasks * amounts[need.resource];
    }
    const std::int64_t units =
        of_held ? nodes_.Total(node, need.resource) - free : free;
    score += static_cast<double>(need.amount) / unit *
             (static_cast<double>(units) / unit);
  }
  return score;
}

// Returns by how much a task on a node makes the score of its next one worse.
double GangPlan::StepOf(int group) const {
  double step = 0;
  for (const Need& need : groups_[group].needs) {
    const auto unit = static_cast<double>(nodes_.Unit(need.resource));
    if (unit == 0 || need.resource == nodes_.seats()) continue;
    const double units = static_cast<double>(need.amount) / unit;
    step += units * units;
  }
  return step;
}

}  // namespace fluxnetes::matcher
