#include "tests/matcher/plain/plain_plan.h"

#include <algorithm>

namespace fluxnetes::matcher {

void PlainPlan::MakePoint(Time at) {
  if (!points_.contains(at)) {
    points_[at] = {std::prev(points_.upper_bound(at))->second.left, 0};
  }
  ++points_[at].uses;
}

void PlainPlan::DropPoint(Time at) {
  if (--points_[at].uses == 0) points_.erase(at);
}

std::int64_t PlainPlan::Least(Time start, Time end) const {
  auto at = std::prev(points_.upper_bound(start));
  std::int64_t least = at->second.left;
  for (; at != points_.end() && at->first < end; ++at) {
    least = std::min(least, at->second.left);
  }
  return least;
}

bool PlainPlan::Has(Time start, Time end, std::int64_t units) const {
  return units <= total_ && end <= kForever && Least(start, end) >= units;
}

bool PlainPlan::Take(Time start, Time end, std::int64_t units) {
  if (!Has(start, end, units)) return false;
  MakePoint(start);
  MakePoint(end);
  Reduce(start, end, -units);
  return true;
}

void PlainPlan::Reduce(Time start, Time end, std::int64_t units) {
  for (auto& [at, point] : points_) {
    if (start <= at && at < end) point.left += units;
  }
}

void PlainPlan::GiveBack(Time start, Time end, std::int64_t units) {
  Reduce(start, end, units);
  DropPoint(start);
  DropPoint(end);
}

void PlainPlan::SetTotal(std::int64_t total) {
  std::int64_t& left = points_.begin()->second.left;
  left = std::max<std::int64_t>(0, left + total - total_);
  total_ = total;
}

}  // namespace fluxnetes::matcher
