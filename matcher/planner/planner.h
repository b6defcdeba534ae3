// How many units of one resource are free, over time. A span takes units in
// [start, start + length); what is left changes only at scheduled points: the
// base and every start and end of a live span.
//
//   left  4 |_________          ______
//         1 |         |________|
//           base      60       100
//
// This is Fluxion's planner: its searches answer with scheduled points only.
// Points and spans lie in sorted arrays. Outcomes are values.
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
  kBusy,     // not enough units over that time
  kBeyond,   // more than there is in all, or past the end of the plan
  kInvalid,  // no such length, time or span
};

enum class Reduced { kReduced, kRemoved, kInvalid };

class Planner {
 public:
  Planner() = default;
  // Plans [base, base + duration).
  Planner(Time base, Time duration, std::int64_t total);

  // Forgets all spans, ids too.
  void Reset(std::int64_t total) {
    total_ = total;
    points_.clear();
    spans_.Clear();
  }

  std::int64_t total() const { return total_; }
  int spans() const { return spans_.size(); }

  // Nothing if the length is below 1, the time outside of the plan or the
  // units are not there. Zero units are a span like others.
  std::optional<PlanId> AddSpan(Time start, Time length, std::int64_t units);
  bool RemoveSpan(PlanId id);
  // By all its units the span goes; by none nothing happens.
  Reduced ReduceSpan(PlanId id, std::int64_t units);

  // What the span takes; 0 if there is none.
  std::int64_t UnitsOf(PlanId id) const;

  Plan AvailableDuring(Time start, Time length, std::int64_t units) const;
  // The least units left over the time; -1 outside of the plan.
  std::int64_t LeastDuring(Time start, Time length) const;
  std::int64_t LeftAt(Time time) const { return LeastDuring(time, 1); }

  // The earliest scheduled point from `from` on at which the units are there
  // for the length. For the next one ask from the point's time + 1.
  std::optional<Time> FirstTime(Time from, Time length,
                                std::int64_t units) const;

  // A stretch of time that overlaps [start, start + length) and has less than
  // the units left throughout: it rules out whatever needs them then. Nothing
  // if they are there.
  struct Stretch {
    Time start = 0;
    Time end = 0;
  };
  std::optional<Stretch> ShortageIn(Time start, Time length,
                                    std::int64_t units) const;

  // What is left moves with the total, but not below 0.
  void SetTotal(std::int64_t total);
  // The same, but until the first start or end of a span only: what a pruning
  // filter of Fluxion knows of vertices that come or go.
  // Tells whether there is another truth from then on.
  bool SetTotalAtBase(std::int64_t total);

 private:
  struct Point {
    Time time = 0;
    std::int64_t left = 0;
    std::int32_t uses = 0;  // starts and ends of spans, the base counts too
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
  Points points_;  // in order of time; none: all is left
  PlanIds<Span> spans_;
};

}  // namespace fluxnetes::matcher
