// How many tasks of a group fit on one node: see gang_plan.h.
#include <algorithm>

#include "matcher/gangs/gang_plan.h"

namespace fluxnetes::matcher {

// `free` returns the free amount of a resource; the runs linked from `last_run`
// are subtracted from it.
template <typename Free>
int GangPlan::Divide(int group, int limit, std::int32_t last_run,
                     const Free& free) const {
  for (const Need& need : groups_[group].needs) {
    std::int64_t left = free(need.resource);
    if (left < need.amount) return 0;
    if (need.once) continue;
    for (std::int32_t i = last_run; i >= 0; i = runs_[i].next) {
      const auto& amounts = groups_[runs_[i].group].asked->amounts;
      if (need.resource >= static_cast<int>(amounts.size())) continue;
      left -= runs_[i].tasks * amounts[need.resource];
    }
    if (left < need.amount) return 0;
    if (limit > 1) {
      limit =
          static_cast<int>(std::min<std::int64_t>(limit, left / need.amount));
    }
  }
  return limit;
}

int GangPlan::CountAlone(const Columns& columns, NodeIndex node, int group,
                         int limit) const {
  if (!MayTake(node, group)) return 0;
  if (per_node_.tasks > 0 && groups_[group].counts_tasks)
    limit = std::min(limit, per_node_.tasks);
  return Divide(group, limit, -1, [&](int r) { return columns[r][node]; });
}

bool GangPlan::LooksInside() const {
  return std::ranges::any_of(
      groups_, [](const Group& group) { return group.inside != kNoShape; });
}

bool GangPlan::LooksAtDevices() const {
  return std::ranges::any_of(groups_, [](const Group& group) {
    return group.asked->devices != kNoDevices;
  });
}

// The amounts are checked first, so bounds that rest on them stay right.
int GangPlan::Fit(const PlanBasis& basis, NodeIndex node, int group,
                  int limit) {
  int fit = FitAmounts(basis, node, group, limit);
  if (fit > 0 && groups_[group].aligned)
    return FitAligned(basis, node, group, fit);
  if (fit > 0 && groups_[group].inside != kNoShape)
    fit = FitInside(basis, node, group, fit);
  if (fit > 0 && devices(group) != kNoDevices)
    fit = FitDevices(basis, node, group, fit);
  return fit;
}

void GangPlan::GatherInside(NodeIndex node) {
  beside_.inside.clear();
  for (std::int32_t i = last_run_[node]; i >= 0; i = runs_[i].next) {
    const ShapeId shape = runs_[i].takes.inside;
    if (shape != kNoShape) beside_.inside.push_back({shape, runs_[i].tasks});
  }
  std::ranges::reverse(beside_.inside);
}

void GangPlan::GatherDevices(NodeIndex node, int group) {
  const auto add = [this](const Run& run) {
    if (run.takes.devices != kNoDevices)
      beside_.devices.push_back({run.node, run.takes.devices, run.tasks});
  };
  beside_.devices.clear();
  if (devices_.LooksBeyondNode(devices(group))) {
    for (const Run& run : runs_) add(run);
  } else {
    for (std::int32_t i = last_run_[node]; i >= 0; i = runs_[i].next)
      add(runs_[i]);
    std::ranges::reverse(beside_.devices);
  }
}

int GangPlan::FitInside(const PlanBasis& basis, NodeIndex node, int group,
                        int limit) {
  GatherInside(node);
  const ShapeId shape = groups_[group].inside;
  if (basis.view == View::kEmpty) {
    return interior_.FitEmpty(node, shape, limit, beside_.inside);
  }
  std::span<const JobId> without;
  if (basis.leaving) without = {&*basis.leaving, 1};
  return interior_.Fit(node, shape, limit,
                       {basis.from, basis.end, nodes_.now(), without},
                       beside_.inside);
}

int GangPlan::FitDevices(const PlanBasis& basis, NodeIndex node, int group,
                         int limit) {
  GatherDevices(node, group);
  const DevicesId asked = devices(group);
  if (basis.view == View::kEmpty)
    return devices_.FitEmpty(node, asked, limit, beside_.devices);
  std::span<const JobId> without;
  if (basis.leaving) without = {&*basis.leaving, 1};
  return devices_.Fit(node, asked, limit,
                      {basis.from, basis.end, nodes_.now(), without},
                      beside_.devices);
}

int GangPlan::FitAligned(const PlanBasis& basis, NodeIndex node, int group,
                         int limit) {
  GatherInside(node);
  GatherDevices(node, group);
  ways_.clear();
  InsideWindow window{basis.from, basis.end, nodes_.now()};
  if (basis.leaving) window.without = {&*basis.leaving, 1};
  const bool empty = basis.view == View::kEmpty;
  while (std::ssize(ways_) < limit) {
    const auto way =
        aligned_.Next(node, TaskOf(group), empty ? nullptr : &window, beside_);
    if (!way) break;
    ways_.push_back(*way);
    beside_.inside.push_back({way->inside, 1});
    beside_.devices.push_back({node, way->devices, 1});
  }
  return static_cast<int>(ways_.size());
}

int GangPlan::FitAmounts(const PlanBasis& basis, NodeIndex node, int group,
                         int limit) {
  if (!MayTake(node, group)) return 0;
  if (per_node_.tasks > 0 && groups_[group].counts_tasks) {
    limit = std::min(limit, per_node_.tasks - TasksOn(node));
    if (limit <= 0) return 0;
  }
  const std::int32_t last_run = last_run_[node];
  const bool own = basis.own && IsOwn(node, nodes_.now(), basis.end);
  const auto seats = [&](int r, std::int64_t free) {
    return own && r == nodes_.seats() ? NodeColumns::kSeats : free;
  };
  const int fit = Divide(group, limit, last_run, [&](int r) {
    return seats(r, (*basis.columns)[r][node]);
  });
  if (fit == 0 || !basis.over_time) return fit;
  if (!nodes_.StartsBefore(node, basis.end)) return fit;
  nodes_.Profile(node).Least(nodes_.now(), basis.end, least_);
  return Divide(group, fit, last_run,
                [&](int r) { return seats(r, least_[r]); });
}

}  // namespace fluxnetes::matcher
