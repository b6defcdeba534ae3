// One planner per vertex, made when a vertex gets its first span: most never
// do.
//
// Owned by one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "matcher/planner.h"
#include "matcher/resource_graph.h"

namespace fluxnetes::matcher {

class VertexPlans {
 public:
  void Resize(int vertices) { of_.resize(vertices, -1); }

  std::int64_t LeastDuring(VertexIndex v, std::int64_t total, Time start,
                           Time length) const {
    if (of_[v] < 0) return total;
    return planners_[of_[v]].LeastDuring(start, length);
  }
  Planner& Make(VertexIndex v, std::int64_t total) {
    if (of_[v] < 0) {
      of_[v] = static_cast<std::int32_t>(planners_.size());
      planners_.emplace_back(0, kForever, total);
    }
    return planners_[of_[v]];
  }
  const Planner* At(VertexIndex v) const {
    return of_[v] < 0 ? nullptr : &planners_[of_[v]];
  }
  bool Remove(VertexIndex v, PlanId id) {
    return of_[v] >= 0 && planners_[of_[v]].RemoveSpan(id);
  }

 private:
  std::vector<std::int32_t> of_;  // [vertex], -1: none
  std::deque<Planner> planners_;
};

}  // namespace fluxnetes::matcher
