#include "matcher/planner/vertex_plans.h"

namespace fluxnetes::matcher {

std::optional<Planner::Stretch> VertexPlans::ShortageIn(
    VertexIndex v, std::int64_t total, Time start, Time length,
    std::int64_t units) const {
  const Place& place = places_[v];
  if (place.start == kInPlanner) {
    return planners_[place.end].ShortageIn(start, length, units);
  }
  if (!place.Meets(start, length) || total - Usual(total) >= units) {
    return std::nullopt;
  }
  return Planner::Stretch{place.start, place.end};
}

bool VertexPlans::FindTaken(Time planner, Time start, Time length) const {
  const auto shortage = planners_[planner].ShortageIn(start, length, 1);
  if (shortage) taken_[planner] = {shortage->start, shortage->end};
  return shortage.has_value();
}

// Makes a planner with the single span that the vertex has, if any.
Planner& VertexPlans::MakePlanner(VertexIndex v, std::int64_t total) {
  Place& place = places_[v];
  const Place single = place;
  if (unused_.empty()) {
    place = {kInPlanner, static_cast<Time>(planners_.size())};
    planners_.emplace_back(0, kForever, total);
    taken_.emplace_back();
  } else {
    place = {kInPlanner, unused_.back()};
    unused_.pop_back();
    planners_[place.end].Reset(total);
    taken_[place.end] = {};
  }
  Planner& planner = planners_[place.end];
  if (!single.empty()) {
    planner.AddSpan(single.start, single.end - single.start, Usual(total));
  }
  return planner;
}

std::optional<PlanId> VertexPlans::AddSpan(VertexIndex v, std::int64_t total,
                                           Time start, Time length,
                                           std::int64_t units) {
  Place& place = places_[v];
  if (place.start == kInPlanner) {
    return planners_[place.end].AddSpan(start, length, units);
  }
  const bool fits = units >= 0 && units <= total && length >= 1 && start >= 0 &&
                    start < kForever && length <= kForever - start &&
                    units <= LeastDuring(v, total, start, length);
  if (!fits) return std::nullopt;
  if (place.empty() && units == Usual(total)) {
    place = {start, start + length};
    return kSingle;
  }
  return MakePlanner(v, total).AddSpan(start, length, units);
}

void VertexPlans::RemoveSpan(VertexIndex v, PlanId id) {
  Place& place = places_[v];
  if (place.start != kInPlanner) {
    place = {};
    return;
  }
  Planner& planner = planners_[place.end];
  planner.RemoveSpan(id);
  taken_[place.end] = {};
  if (planner.spans() > 0) return;
  unused_.push_back(place.end);
  place = {};
}

}  // namespace fluxnetes::matcher
