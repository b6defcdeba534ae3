#include "matcher/planner/multi_planner.h"

#include <algorithm>
#include <utility>

namespace fluxnetes::matcher {

MultiPlanner::MultiPlanner(Time base, Time duration, std::vector<NameId> types,
                           std::span<const std::int64_t> totals)
    : base_(base), duration_(duration), types_(std::move(types)) {
  for (const std::int64_t total : totals) {
    planners_.emplace_back(base, duration, total);
  }
}

std::optional<PlanId> MultiPlanner::AddSpan(
    Time start, Time length, std::span<const std::int64_t> units) {
  if (planners_.empty()) return std::nullopt;
  // A single planner checks for room itself.
  if (planners_.size() > 1 &&
      AvailableDuring(start, length, units) != Plan::kFits) {
    return std::nullopt;
  }
  const auto first = planners_[0].AddSpan(start, length, units[0]);
  if (!first) return std::nullopt;
  const PlanId id = ids_.Add({});
  parts_.resize(ids_.places() * planners_.size());
  PlanId* parts = FindSpan(id);
  parts[0] = *first;
  for (std::size_t i = 1; i < planners_.size(); ++i) {
    parts[i] = *planners_[i].AddSpan(start, length, units[i]);
  }
  return id;
}

const PlanId* MultiPlanner::FindSpan(PlanId id) const {
  if (ids_.Find(id) == nullptr) return nullptr;
  return parts_.data() + PlanIds<Nothing>::PlaceOf(id) * planners_.size();
}

PlanId* MultiPlanner::FindSpan(PlanId id) {
  return const_cast<PlanId*>(std::as_const(*this).FindSpan(id));
}

bool MultiPlanner::RemoveSpan(PlanId id) {
  const PlanId* parts = FindSpan(id);
  if (parts == nullptr) return false;
  for (std::size_t i = 0; i < planners_.size(); ++i) {
    if (parts[i] != 0) planners_[i].RemoveSpan(parts[i]);
  }
  ids_.Remove(id);
  return true;
}

Reduced MultiPlanner::ReduceSpan(PlanId id,
                                 std::span<const std::int64_t> units) {
  PlanId* parts = FindSpan(id);
  if (parts == nullptr) return Reduced::kInvalid;
  Reduced outcome = Reduced::kRemoved;
  for (std::size_t i = 0; i < planners_.size(); ++i) {
    if (parts[i] == 0) continue;
    const Reduced reduced = planners_[i].ReduceSpan(parts[i], units[i]);
    if (reduced == Reduced::kInvalid) return reduced;
    if (reduced == Reduced::kRemoved) {
      parts[i] = 0;
    } else {
      outcome = Reduced::kReduced;
    }
  }
  if (outcome == Reduced::kRemoved) ids_.Remove(id);
  return outcome;
}

std::vector<std::int64_t> MultiPlanner::Totals() const {
  std::vector<std::int64_t> totals;
  for (const Planner& planner : planners_) totals.push_back(planner.total());
  return totals;
}

std::vector<std::int64_t> MultiPlanner::UnitsOf(PlanId id) const {
  std::vector<std::int64_t> units;
  const PlanId* parts = FindSpan(id);
  if (parts == nullptr) return units;
  for (std::size_t i = 0; i < planners_.size(); ++i) {
    units.push_back(planners_[i].UnitsOf(parts[i]));
  }
  return units;
}

bool MultiPlanner::Update(const std::vector<NameId>& types,
                          std::span<const std::int64_t> totals) {
  std::vector<Planner> planners;
  bool differs = false;
  std::vector<std::ptrdiff_t> from;  // [new type]: its old place; -1: none
  for (std::size_t i = 0; i < types.size(); ++i) {
    const auto known = std::find(types_.begin(), types_.end(), types[i]);
    if (known == types_.end()) {
      from.push_back(-1);
      planners.emplace_back(base_, duration_, totals[i]);
    } else {
      from.push_back(known - types_.begin());
      planners.push_back(std::move(planners_[from.back()]));
      differs = planners.back().SetTotalAtBase(totals[i]) || differs;
    }
  }
  std::vector<PlanId> parts(ids_.places() * types.size());
  for (std::size_t place = 0; place < ids_.places(); ++place) {
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (from[i] < 0) continue;
      parts[place * types.size() + i] = parts_[place * types_.size() + from[i]];
    }
  }
  parts_ = std::move(parts);
  types_ = types;
  planners_ = std::move(planners);
  return differs;
}

Plan MultiPlanner::AvailableDuring(Time start, Time length,
                                   std::span<const std::int64_t> units) const {
  for (std::size_t i = 0; i < planners_.size(); ++i) {
    const Plan plan = planners_[i].AvailableDuring(start, length, units[i]);
    if (plan != Plan::kFits) return plan;
  }
  return Plan::kFits;
}

std::optional<Time> MultiPlanner::FirstTime(
    Time from, Time length, std::span<const std::int64_t> units) const {
  if (planners_.empty()) return std::nullopt;
  auto time = planners_[0].FirstTime(from, length, units[0]);
  while (time && AvailableDuring(*time, length, units) != Plan::kFits) {
    time = planners_[0].FirstTime(*time + 1, length, units[0]);
  }
  return time;
}

}  // namespace fluxnetes::matcher
