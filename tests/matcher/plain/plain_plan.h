// Units over time, as the list of moments at which what is left changes.
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

  // False, and nothing is taken, where the units are not there.
  bool Take(Time start, Time end, std::int64_t units);
  void GiveBack(Time start, Time end, std::int64_t units);
  // Of a span that goes on with fewer.
  void Reduce(Time start, Time end, std::int64_t units);
  bool Has(Time start, Time end, std::int64_t units) const;
  std::int64_t Least(Time start, Time end) const;

  // What comes and goes counts from the base to the first start or end of a
  // span only, as in Fluxion.
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
