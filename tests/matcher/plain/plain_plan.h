// Units over time, as a list of the moments at which what is left changes.
#pragma once

#include <cstdint>
#include <map>

#include "matcher/units.h"

namespace fluxnetes::matcher {

class PlainPlan {
 public:
  explicit PlainPlan(std::int64_t total) : total_(total) {
    points_[0] = {total, 1};
  }

  // False, and takes nothing, if the units are not left.
  bool Take(Time start, Time end, std::int64_t units);
  void GiveBack(Time start, Time end, std::int64_t units);
  // For a span that goes on with fewer units.
  void Reduce(Time start, Time end, std::int64_t units);
  bool Has(Time start, Time end, std::int64_t units) const;
  std::int64_t Least(Time start, Time end) const;

  // The change only applies from the base to the first start or end of a span,
  // as in Fluxion.
  void SetTotal(std::int64_t total);

  struct Point {
    std::int64_t left = 0;
    int uses = 0;  // spans that start or end there
  };
  const std::map<Time, Point>& points() const { return points_; }

 private:
  void MakePoint(Time at);
  void DropPoint(Time at);

  std::int64_t total_;
  std::map<Time, Point> points_;
};

}  // namespace fluxnetes::matcher
