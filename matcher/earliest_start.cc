#include "matcher/earliest_start.h"

#include <algorithm>

namespace fluxnetes::matcher {

std::optional<Time> EarliestStart::Find(Time duration, bool by_id,
                                        bool descending) {
  Begin(duration);
  Ground ground;
  ground.columns = &columns_;
  ground.order = &nodes_.Order(by_id);
  ground.descending = descending;
  for (time_ = NextTime(); time_ != kForever; time_ = NextTime()) {
    if (Step() && EnoughAlone() && plan_.Place(ground)) return time_;
  }
  return std::nullopt;
}

void EarliestStart::Begin(Time duration) {
  duration_ = duration;
  time_ = nodes_.now();
  ends_ = &nodes_.spans().Ends();
  starts_ = &nodes_.spans().Starts();
  end_ = start_ = enter_ = 0;
  least_.resize(nodes_.resources());
  columns_ = nodes_.At(View::kEver);
  fits_.resize(plan_.groups());
  for (auto& fits : fits_) fits.assign(nodes_.size(), 0);
  sums_.assign(plan_.groups(), 0);
  for (NodeIndex node = 0; node < nodes_.size(); ++node) {
    if (nodes_.HasAhead(node)) {
      Look(node);
    } else {
      CountAgain(node);
    }
  }
  while (enter_ < starts_->size() &&
         EntersAt((*starts_)[enter_].time) <= time_) {
    ++enter_;
  }
}

Time EarliestStart::WindowEnd() const {
  return duration_ >= kForever - time_ ? kForever : time_ + duration_;
}

Time EarliestStart::EntersAt(Time start) const {
  const bool always = duration_ == kForever ||
                      start < std::numeric_limits<Time>::min() + duration_;
  return always ? std::numeric_limits<Time>::min() : start - duration_ + 1;
}

void EarliestStart::Look(NodeIndex node) {
  if (!nodes_.TakesTasks(node)) return;
  nodes_.Profile(node).Least(time_, WindowEnd(), least_);
  for (std::size_t r = 0; r < least_.size(); ++r) columns_[r][node] = least_[r];
  CountAgain(node);
}

void EarliestStart::CountAgain(NodeIndex node) {
  for (int g = 0; g < plan_.groups(); ++g) {
    const int fits =
        plan_.CountAlone(columns_, node, g, std::max(plan_.group(g).count, 1));
    sums_[g] += fits - fits_[g][node];
    fits_[g][node] = fits;
  }
}

Time EarliestStart::NextTime() const {
  Time next = kForever;
  if (end_ < ends_->size()) {
    next = std::max((*ends_)[end_].time, nodes_.now() + 1);
  }
  if (start_ < starts_->size()) {
    next = std::min(next, (*starts_)[start_].time);
  }
  if (enter_ < starts_->size()) {
    next = std::min(next, EntersAt((*starts_)[enter_].time));
  }
  return next;
}

bool EarliestStart::Step() {
  const auto node_of = [&](const SpanTimeline::Moment& moment) {
    return nodes_.spans()[moment.span].node;
  };
  bool ends = false;
  for (; end_ < ends_->size() && (*ends_)[end_].time <= time_; ++end_) {
    Look(node_of((*ends_)[end_]));
    ends = true;
  }
  for (; start_ < starts_->size() && (*starts_)[start_].time <= time_;
       ++start_) {
    Look(node_of((*starts_)[start_]));
  }
  for (; enter_ < starts_->size() && EntersAt((*starts_)[enter_].time) <= time_;
       ++enter_) {
    Look(node_of((*starts_)[enter_]));
  }
  return ends;
}

bool EarliestStart::EnoughAlone() const {
  for (int g = 0; g < plan_.groups(); ++g) {
    if (sums_[g] < plan_.group(g).count) return false;
  }
  return true;
}

}  // namespace fluxnetes::matcher
