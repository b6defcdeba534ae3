// Planners of several resource types side by side: how much of each is left
// below a vertex. A span takes units of all types at once.
//
// Owned by one thread.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "matcher/graph/names.h"
#include "matcher/planner/planner.h"

namespace fluxnetes::matcher {

class MultiPlanner {
 public:
  MultiPlanner(Time base, Time duration, std::vector<NameId> types,
               std::span<const std::int64_t> totals);

  const std::vector<NameId>& types() const { return types_; }
  std::vector<std::int64_t> Totals() const;
  const Planner& planner(int i) const { return planners_[i]; }
  int spans() const { return ids_.size(); }

  // `units` in the order of types().
  std::optional<PlanId> AddSpan(Time start, Time length,
                                std::span<const std::int64_t> units);
  bool RemoveSpan(PlanId id);
  // Each type by its units; what was taken with none goes too. Removed when
  // no type has any of it left.
  Reduced ReduceSpan(PlanId id, std::span<const std::int64_t> units);
  // What the span takes of each type; empty if there is no such span.
  std::vector<std::int64_t> UnitsOf(PlanId id) const;
  // The first type that has not enough decides.
  Plan AvailableDuring(Time start, Time length,
                       std::span<const std::int64_t> units) const;
  // Scheduled points of the first type at which all types are there.
  std::optional<Time> FirstTime(Time from, Time length,
                                std::span<const std::int64_t> units) const;
  // Other types and totals; spans stay with the types that stay.
  // Tells whether one of them has another total only until a span starts or
  // ends.
  bool Update(const std::vector<NameId>& types,
              std::span<const std::int64_t> totals);

 private:
  // The parts of a span, by type, where it stands; null: there is none.
  PlanId* FindSpan(PlanId id);
  const PlanId* FindSpan(PlanId id) const;

  Time base_ = 0;
  Time duration_ = 0;
  std::vector<NameId> types_;
  std::vector<Planner> planners_;
  struct Nothing {};
  PlanIds<Nothing> ids_;
  std::vector<PlanId> parts_;  // [place * types + type]: its id there; 0: none
};

}  // namespace fluxnetes::matcher
