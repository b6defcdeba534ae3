// The spans of every vertex. Most vertices have none or one. A single span lies
// in an array by vertex, so that neighbours are close in memory. A planner is
// made for the second span of a vertex, and given back with its last.
//
// Owned by one thread, const members too.
// Tests: tests/matcher/planner/vertex_plans_test.cc.
#pragma once

#include <cassert>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "matcher/graph/resource_graph.h"
#include "matcher/planner/planner.h"

namespace fluxnetes::matcher {

class VertexPlans {
 public:
  // The total of a vertex must be the same in every call. `usual` is what most
  // spans take of it; kTotal: everything.
  static constexpr std::int64_t kTotal = -1;
  explicit VertexPlans(std::int64_t usual) : usual_(usual) {}

  void Resize(int vertices) { places_.resize(vertices); }

  // As in Planner, for the times from 0 to kForever.
  std::int64_t LeastDuring(VertexIndex v, std::int64_t total, Time start,
                           Time length) const {
    const Place& place = places_[v];
    if (place.start == kInPlanner) {
      return planners_[place.end].LeastDuring(start, length);
    }
    return place.Meets(start, length) ? total - Usual(total) : total;
  }
  // True if nothing is left at some time in [start, start + length). Usually
  // that is known from the last time, without a look at the spans. Only where
  // most spans take everything.
  bool TakenIn(VertexIndex v, Time start, Time length) const {
    assert(usual_ == kTotal);
    const Place& place = places_[v];
    if (place.start != kInPlanner) return place.Meets(start, length);
    return taken_[place.end].Meets(start, length) ||
           FindTaken(place.end, start, length);
  }
  // Says that the vertex is asked for soon: the processor reads its place into
  // the cache meanwhile.
  void Expect(VertexIndex v) const { __builtin_prefetch(&places_[v]); }
  std::optional<Planner::Stretch> ShortageIn(VertexIndex v, std::int64_t total,
                                             Time start, Time length,
                                             std::int64_t units) const;
  std::optional<PlanId> AddSpan(VertexIndex v, std::int64_t total, Time start,
                                Time length, std::int64_t units);
  // The span must exist.
  void RemoveSpan(VertexIndex v, PlanId id);

 private:
  static constexpr Time kInPlanner = -1;
  // the first id of a planner, too
  static constexpr PlanId kSingle = 1;

  // The time of a single span; if start is kInPlanner, `end` is the number of
  // the planner.
  struct Place {
    Time start = 0;
    Time end = 0;

    bool empty() const { return end == 0; }
    bool Meets(Time at, Time length) const {
      return end > at && start - at < length;
    }
  };

  std::int64_t Usual(std::int64_t total) const {
    return usual_ == kTotal ? total : usual_;
  }
  Planner& MakePlanner(VertexIndex v, std::int64_t total);
  bool FindTaken(Time planner, Time start, Time length) const;

  std::int64_t usual_;
  std::vector<Place> places_;  // [vertex]
  std::deque<Planner> planners_;
  // [planner]: a time when nothing is left, until a span is removed.
  mutable std::vector<Place> taken_;
  std::vector<Time> unused_;  // numbers of planners
};

}  // namespace fluxnetes::matcher
