#include "matcher/planner/planner.h"

#include <algorithm>

namespace fluxnetes::matcher {

Planner::Planner(Time base, Time duration, std::int64_t total)
    : base_(base), duration_(duration), total_(total) {}

Time Planner::end() const {
  return duration_ >= kForever - base_ ? kForever : base_ + duration_;
}

bool Planner::Covers(Time start, Time length) const {
  return length >= 1 && start >= base_ && start < end() &&
         length <= end() - start;
}

// Returns the point whose `left` holds at the time.
Planner::Points::const_iterator Planner::PointOf(Time time) const {
  if (points_.size() <= 8) {
    auto at = points_.begin();
    while (at + 1 != points_.end() && (at + 1)->time <= time) ++at;
    return at;
  }
  const auto after = std::upper_bound(
      points_.begin(), points_.end(), time,
      [](Time at, const Point& point) { return at < point.time; });
  return std::prev(after);
}

void Planner::DropPoint(Time time) {
  const auto at = points_.begin() + (PointOf(time) - points_.cbegin());
  if (--at->uses == 0) points_.erase(at);
}

std::optional<PlanId> Planner::AddSpan(Time start, Time length,
                                       std::int64_t units) {
  if (units < 0 || units > total_ || !Covers(start, length)) {
    return std::nullopt;
  }
  const Time end = start + length;
  if (points_.empty()) {
    points_.reserve(4);
    points_.push_back({base_, total_, 1});
  }
  // The span covers the points [first, last), once its own points are inserted.
  std::size_t first = PointOf(start) - points_.cbegin();
  std::size_t last = first;
  for (; last < points_.size() && points_[last].time < end; ++last) {
    if (points_[last].left < units) return std::nullopt;
  }
  if (last == points_.size() || points_[last].time != end) {
    points_.insert(points_.begin() + last, {end, points_[last - 1].left, 0});
  }
  ++points_[last].uses;
  if (points_[first].time != start) {
    points_.insert(points_.begin() + first + 1,
                   {start, points_[first].left, 0});
    ++first;
    ++last;
  }
  ++points_[first].uses;
  for (; first < last; ++first) points_[first].left -= units;
  return spans_.Add({start, end, units});
}

// Adds units to what is left during the span.
void Planner::Move(const Span& span, std::int64_t units) {
  auto at = points_.begin() + (PointOf(span.start) - points_.cbegin());
  for (; at != points_.end() && at->time < span.end; ++at) at->left += units;
}

bool Planner::RemoveSpan(PlanId id) {
  const Span* found = spans_.Find(id);
  if (found == nullptr) return false;
  const Span span = *found;
  spans_.Remove(id);
  Move(span, span.units);
  DropPoint(span.start);
  DropPoint(span.end);
  return true;
}

Reduced Planner::ReduceSpan(PlanId id, std::int64_t units) {
  Span* found = spans_.Find(id);
  if (found == nullptr || units < 0 || units > found->units) {
    return Reduced::kInvalid;
  }
  if (units == found->units) {
    RemoveSpan(id);
    return Reduced::kRemoved;
  }
  Move(*found, units);
  found->units -= units;
  return Reduced::kReduced;
}

std::int64_t Planner::UnitsOf(PlanId id) const {
  const Span* found = spans_.Find(id);
  return found == nullptr ? 0 : found->units;
}

Plan Planner::AvailableDuring(Time start, Time length,
                              std::int64_t units) const {
  if (length < 1 || start < base_) return Plan::kInvalid;
  if (units > total_ || !Covers(start, length)) return Plan::kBeyond;
  return LeastDuring(start, length) >= units ? Plan::kFits : Plan::kBusy;
}

std::int64_t Planner::LeastDuring(Time start, Time length) const {
  if (!Covers(start, length)) return -1;
  if (points_.empty()) return total_;
  auto at = PointOf(start);
  std::int64_t least = at->left;
  for (; at != points_.end() && at->time < start + length; ++at) {
    least = std::min(least, at->left);
  }
  return least;
}

std::optional<Planner::Stretch> Planner::ShortageIn(Time start, Time length,
                                                    std::int64_t units) const {
  if (!Covers(start, length)) return std::nullopt;
  if (points_.empty()) {
    if (total_ >= units) return std::nullopt;
    return Stretch{base_, end()};
  }
  auto at = PointOf(start);
  while (at != points_.end() && at->left >= units) ++at;
  if (at == points_.end() || at->time >= start + length) return std::nullopt;
  auto first = at;
  while (first != points_.begin() && std::prev(first)->left < units) --first;
  auto last = at;
  while (last != points_.end() && last->left < units) ++last;
  return Stretch{first->time, last == points_.end() ? end() : last->time};
}

std::optional<Time> Planner::FirstTime(Time from, Time length,
                                       std::int64_t units) const {
  if (length < 1 || from < base_ || from >= end() || units > total_) {
    return std::nullopt;
  }
  const Point base{base_, total_, 1};
  const Point* first = points_.empty() ? &base : points_.data();
  const Point* last = first + std::max<std::size_t>(points_.size(), 1);
  const Point* at = std::lower_bound(
      first, last, from,
      [](const Point& point, Time time) { return point.time < time; });
  const Point* checked = at;  // all points in [at, checked) have the units
  while (at != last) {
    if (!Covers(at->time, length)) return std::nullopt;
    checked = std::max(checked, at);
    while (checked != last && checked->time < at->time + length &&
           checked->left >= units) {
      ++checked;
    }
    if (checked == last || checked->time >= at->time + length) return at->time;
    at = checked + 1;
  }
  return std::nullopt;
}

bool Planner::SetTotalAtBase(std::int64_t total) {
  const bool differs = points_.size() > 1 && total != total_;
  if (!points_.empty()) {
    std::int64_t& left = points_.front().left;
    left = std::max<std::int64_t>(0, left + total - total_);
  }
  total_ = total;
  return differs;
}

void Planner::SetTotal(std::int64_t total) {
  for (Point& point : points_) {
    point.left = std::max<std::int64_t>(0, point.left + total - total_);
  }
  total_ = total;
}

}  // namespace fluxnetes::matcher
