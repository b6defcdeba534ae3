// The spans of every vertex. Most vertices have none, or a single one: that one
// lies in an array by vertex, so that a look at neighbours is a look at one
// place in memory. A planner is made for a second span, and given back with the
// last.
//
// Owned by one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "matcher/graph/resource_graph.h"
#include "matcher/planner/planner.h"

namespace fluxnetes::matcher {

class VertexPlans {
 public:
  // A vertex always comes with the same total, which is what it has in all.
  // `usual` is what most spans take of it; kTotal: everything.
  static constexpr std::int64_t kTotal = -1;
  explicit VertexPlans(std::int64_t usual) : usual_(usual) {}

  void Resize(int vertices) { places_.resize(vertices); }

  // As in Planner, from 0 to kForever.
  std::int64_t LeastDuring(VertexIndex v, std::int64_t total, Time start,
                           Time length) const {
    const Place& place = places_[v];
    if (place.start == kInPlanner) {
      return planners_[place.end].LeastDuring(start, length);
    }
    return place.Meets(start, length) ? total - Usual(total) : total;
  }
  std::optional<Planner::Stretch> ShortageIn(VertexIndex v, std::int64_t total,
                                             Time start, Time length,
                                             std::int64_t units) const;
  std::optional<PlanId> AddSpan(VertexIndex v, std::int64_t total, Time start,
                                Time length, std::int64_t units);
  // Of a span that is there.
  void RemoveSpan(VertexIndex v, PlanId id);

 private:
  static constexpr Time kInPlanner = -1;
  static constexpr PlanId kSingle = 1;  // so it is called in planners, too

  // The time of a single span; with kInPlanner the number of the planner.
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

  std::int64_t usual_;
  std::vector<Place> places_;  // [vertex]
  std::deque<Planner> planners_;
  std::vector<Time> unused_;  // planners
};

}  // namespace fluxnetes::matcher
