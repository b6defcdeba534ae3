// Planners of several resource types side by side: how many units of each are
// left below a vertex. A span takes units of all types at once.
//
// Owned by one thread.
// Tests: tests/matcher/planner/planner_test.cc.
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
  // Reduces each type by its units. A type of which the span has none left is
  // dropped; the span is removed when no type is left.
  Reduced ReduceSpan(PlanId id, std::span<const std::int64_t> units);
  // Returns the span's units of each type; empty if there is no such span.
  std::vector<std::int64_t> UnitsOf(PlanId id) const;
  // Returns the result of the first type that does not fit.
  Plan AvailableDuring(Time start, Time length,
                       std::span<const std::int64_t> units) const;
  // Returns the first scheduled point of the first type from `from` on at which
  // all types fit.
  std::optional<Time> FirstTime(Time from, Time length,
                                std::span<const std::int64_t> units) const;
  // Replaces types and totals; spans keep their units of the types that stay.
  // True if the new total of one of these applies only until a span starts or
  // ends.
  bool Update(const std::vector<NameId>& types,
              std::span<const std::int64_t> totals);

 private:
  // Returns the ids of a span's parts, by type; null if there is no such span.
  PlanId* FindSpan(PlanId id);
  const PlanId* FindSpan(PlanId id) const;

  Time base_ = 0;
  Time duration_ = 0;
  std::vector<NameId> types_;
  std::vector<Planner> planners_;
  struct Nothing {};
  PlanIds<Nothing> ids_;
  // [place * types + type]: id in its planner; 0: none
  std::vector<PlanId> parts_;
};

}  // namespace fluxnetes::matcher
