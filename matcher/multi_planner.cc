#include "matcher/multi_planner.h"

#include <algorithm>

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
  if (planners_.empty() ||
      AvailableDuring(start, length, units) != Plan::kFits) {
    return std::nullopt;
  }
  Span span{++last_id_, {}};
  for (std::size_t i = 0; i < planners_.size(); ++i) {
    span.parts.push_back(*planners_[i].AddSpan(start, length, units[i]));
  }
  spans_.push_back(std::move(span));
  return last_id_;
}

std::vector<MultiPlanner::Span>::iterator MultiPlanner::FindSpan(PlanId id) {
  const auto found =
      std::lower_bound(spans_.begin(), spans_.end(), id,
                       [](const Span& span, PlanId i) { return span.id < i; });
  return found != spans_.end() && found->id == id ? found : spans_.end();
}

bool MultiPlanner::RemoveSpan(PlanId id) {
  const auto found = FindSpan(id);
  if (found == spans_.end()) return false;
  for (std::size_t i = 0; i < planners_.size(); ++i) {
    if (found->parts[i] != 0) planners_[i].RemoveSpan(found->parts[i]);
  }
  spans_.erase(found);
  return true;
}

Reduced MultiPlanner::ReduceSpan(PlanId id,
                                 std::span<const std::int64_t> units) {
  const auto found = FindSpan(id);
  if (found == spans_.end()) return Reduced::kInvalid;
  Reduced outcome = Reduced::kRemoved;
  for (std::size_t i = 0; i < planners_.size(); ++i) {
    PlanId& part = found->parts[i];
    if (part == 0) continue;
    const Reduced reduced = planners_[i].ReduceSpan(part, units[i]);
    if (reduced == Reduced::kInvalid) return reduced;
    if (reduced == Reduced::kRemoved) {
      part = 0;
    } else {
      outcome = Reduced::kReduced;
    }
  }
  if (outcome == Reduced::kRemoved) spans_.erase(found);
  return outcome;
}

std::vector<std::int64_t> MultiPlanner::UnitsOf(PlanId id) const {
  std::vector<std::int64_t> units;
  const auto found =
      std::lower_bound(spans_.begin(), spans_.end(), id,
                       [](const Span& span, PlanId i) { return span.id < i; });
  if (found == spans_.end() || found->id != id) return units;
  for (std::size_t i = 0; i < planners_.size(); ++i) {
    units.push_back(planners_[i].UnitsOf(found->parts[i]));
  }
  return units;
}

void MultiPlanner::Update(const std::vector<NameId>& types,
                          std::span<const std::int64_t> totals) {
  std::vector<Planner> planners;
  std::vector<std::ptrdiff_t> from;  // [new type]: the place it had, or -1
  for (std::size_t i = 0; i < types.size(); ++i) {
    const auto known = std::find(types_.begin(), types_.end(), types[i]);
    if (known == types_.end()) {
      from.push_back(-1);
      planners.emplace_back(base_, duration_, totals[i]);
    } else {
      from.push_back(known - types_.begin());
      planners.push_back(std::move(planners_[from.back()]));
      planners.back().SetTotalAtBase(totals[i]);
    }
  }
  for (Span& span : spans_) {
    std::vector<PlanId> parts;
    for (const std::ptrdiff_t place : from) {
      parts.push_back(place < 0 ? 0 : span.parts[place]);
    }
    span.parts = std::move(parts);
  }
  types_ = types;
  planners_ = std::move(planners);
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
