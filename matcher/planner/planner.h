// How many units of one resource are free, over time. A span takes units in
// [start, start + length). What is left changes only at scheduled points: the
// base, and every start and end of a live span.
//
//   left  4 |_________          ______
//         1 |         |________|
//           base      60       100
//
// This is Fluxion's planner: its searches return scheduled points only. Points
// lie in a sorted array. Outcomes are values.
//
// Owned by one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "matcher/planner/plan_ids.h"
#include "matcher/units.h"

namespace fluxnetes::matcher {

enum class Plan {
  kFits,
  kBusy,     // too few units over that time
  kBeyond,   // more than the total, or past the end of the plan
  kInvalid,  // an impossible length, time or span
};

enum class Reduced { kReduced, kRemoved, kInvalid };

class Planner {
 public:
  Planner() = default;
  // Plans for the times [base, base + duration).
  Planner(Time base, Time duration, std::int64_t total);

  // Removes all spans and forgets their ids.
  void Reset(std::int64_t total) {
    total_ = total;
    points_.clear();
    spans_.Clear();
  }

  std::int64_t total() const { return total_; }
  int spans() const { return spans_.size(); }

  // Returns nothing if the length is below 1, the time is outside of the plan
  // or the units are not left. A span may have zero units.
  std::optional<PlanId> AddSpan(Time start, Time length, std::int64_t units);
  bool RemoveSpan(PlanId id);
  // Takes `units` off the span; with all its units the span is removed.
  Reduced ReduceSpan(PlanId id, std::int64_t units);

  // Returns the units of the span; 0 if there is no such span.
  std::int64_t UnitsOf(PlanId id) const;

  Plan AvailableDuring(Time start, Time length, std::int64_t units) const;
  // Returns the least units left over that time; -1 outside of the plan.
  std::int64_t LeastDuring(Time start, Time length) const;
  std::int64_t LeftAt(Time time) const { return LeastDuring(time, 1); }

  // Returns the earliest scheduled point from `from` on at which the units are
  // left for the length. To get the next one, pass that point's time + 1.
  std::optional<Time> FirstTime(Time from, Time length,
                                std::int64_t units) const;

  // A stretch of time that overlaps [start, start + length) and has fewer than
  // `units` left throughout, so that nothing that needs them can run in it.
  // Nothing if the units are left.
  struct Stretch {
    Time start = 0;
    Time end = 0;
  };
  std::optional<Stretch> ShortageIn(Time start, Time length,
                                    std::int64_t units) const;

  // Moves what is left with the total, but not below 0.
  void SetTotal(std::int64_t total);
  // Does the same, but only until the first start or end of a span, as
  // Fluxion's pruning filters do when vertices come or go. True if what is left
  // after that time does not match the new total.
  bool SetTotalAtBase(std::int64_t total);

 private:
  struct Point {
    Time time = 0;
    std::int64_t left = 0;
    std::int32_t uses = 0;  // starts and ends of spans; the base counts as one
  };
  struct Span {
    Time start = 0;
    Time end = 0;
    std::int64_t units = 0;
  };
  using Points = std::vector<Point>;

  Time end() const;
  bool Covers(Time start, Time length) const;
  Points::const_iterator PointOf(Time time) const;
  void DropPoint(Time time);
  void Move(const Span& span, std::int64_t units);

  Time base_ = 0;
  Time duration_ = 0;
  std::int64_t total_ = 0;
  Points points_;  // in order of time; empty: all is left
  PlanIds<Span> spans_;
};

}  // namespace fluxnetes::matcher
