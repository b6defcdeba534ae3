#include "matcher/earliest_start.h"

#include <algorithm>

namespace fluxnetes::matcher {

std::optional<Time> EarliestStart::Find(Time duration, Time before, bool by_id,
                                        bool descending) {
  Begin(duration);
  Ground ground;
  ground.columns = &columns_;
  ground.by_id = by_id;
  ground.descending = descending;
  ground.present = ground.blocking = Stage::kThen;
  std::optional<Time> found;
  for (time_ = NextTime(); time_ < before && !found; time_ = NextTime()) {
    if (Step() && EnoughAlone() && plan_.Place(ground)) found = time_;
  }
  EndCounts();
  return found;
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
  BeginCounts();
  while (enter_ < starts_->size() &&
         EntersAt((*starts_)[enter_].time) <= time_) {
    Count((*starts_)[enter_].span, What::kBlocking, 1);
    ++enter_;
  }
}

void EarliestStart::BeginCounts() {
  TaskBook& book = nodes_.book();
  for (const TrackerId id : plan_.trackers()) {
    Tracker& tracker = book.At(id);
    tracker.At(Stage::kThen) = tracker.At(Stage::kNow);
  }
  for (const SpreadId id : plan_.spreads()) {
    book.SpreadAt(id).then = book.SpreadAt(id).now;
  }
}

void EarliestStart::EndCounts() {
  TaskBook& book = nodes_.book();
  for (const TrackerId id : plan_.trackers()) {
    book.At(id).At(Stage::kThen) = {};
  }
  for (const SpreadId id : plan_.spreads()) book.SpreadAt(id).then = {};
}

void EarliestStart::Count(SpanId id, What what, int sign) {
  const Span& span = nodes_.spans()[id];
  if (span.rules == kNoRules || !nodes_.Present(span.node)) return;
  TaskBook& book = nodes_.book();
  const BookedRules& rules = book[span.rules];
  for (const TrackerId tracker : rules.counts) {
    const bool blocks = book.At(tracker).blocks;
    if (!plan_.Watches(tracker) || blocks != (what == What::kBlocking)) {
      continue;
    }
    book.CountIn(tracker, Stage::kThen, span.node, sign * span.tasks);
  }
  if (what == What::kBlocking) return;
  for (const SpreadId spread : rules.counts_spread) {
    if (!plan_.WatchesSpread(spread)) continue;
    book.CountInSpread(spread, Stage::kThen, span.node, sign * span.tasks);
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
  bool room = false;
  const auto come = [&](std::size_t& next, const Moments& moments,
                        const auto& due, const auto& count) {
    for (; next < moments.size() && due(moments[next].time); ++next) {
      const SpanId span = moments[next].span;
      Look(nodes_.spans()[span].node);
      count(span);
    }
  };
  const auto past = [&](Time time) { return time <= time_; };
  come(
      enter_, *starts_, [&](Time time) { return EntersAt(time) <= time_; },
      [&](SpanId span) { Count(span, What::kBlocking, 1); });
  come(start_, *starts_, past, [&](SpanId span) {
    Count(span, What::kPresent, 1);
    room = room || plan_.NeedsOthers();
  });
  come(end_, *ends_, past, [&](SpanId span) {
    Count(span, What::kPresent, -1);
    Count(span, What::kBlocking, -1);
    room = true;
  });
  return room;
}

bool EarliestStart::EnoughAlone() const {
  for (int g = 0; g < plan_.groups(); ++g) {
    if (sums_[g] < plan_.group(g).count) return false;
  }
  return true;
}

}  // namespace fluxnetes::matcher
