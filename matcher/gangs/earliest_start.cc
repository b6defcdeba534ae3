#include "matcher/gangs/earliest_start.h"

#include <algorithm>
#include <bit>

namespace fluxnetes::matcher {

std::optional<Time> EarliestStart::Find(Time duration, Time before,
                                        const PolicyOrder& order) {
  all_ = plan_.LooksAtAll();
  shortfall_.Clear();
  if (!FindBounds(duration, before)) return std::nullopt;
  Begin(duration, before);
  PlanBasis basis;
  basis.columns = &columns_;
  basis.order = order;
  basis.present = basis.blocking = Stage::kThen;
  shortfall_.Note(time_, Lacking());
  if (leaving_ != nullptr) basis.leaving = leaving_->job();
  const auto place = [&] {
    basis.from = time_;
    basis.end = WindowEnd();
    return plan_.Place(basis);
  };
  std::optional<Time> found;
  if (leaving_ != nullptr && Lacking() == 0 && place()) found = time_;
  for (time_ = NextTime(); !found && time_ < before; time_ = NextTime()) {
    if (Step() && place()) {
      found = time_;
      break;
    }
    shortfall_.Note(time_, Lacking());
  }
  End();
  return found;
}

std::optional<Time> EarliestStart::FindEarlier(const LeavingGang& leaving,
                                               Time start, Time duration,
                                               const PolicyOrder& order) {
  leaving_ = &leaving;
  const auto found = Find(duration, start, order);
  leaving_ = nullptr;
  return found;
}

void EarliestStart::Begin(Time duration, Time before) {
  duration_ = duration;
  before_ = before;
  time_ = nodes_.now();
  ends_ = nodes_.spans().ReadEnds();
  starts_ = enters_ = nodes_.spans().ReadStarts();
  counts_ = !plan_.trackers().empty() || !plan_.spreads().empty();
  const auto nodes = static_cast<std::size_t>(nodes_.size());
  least_.resize(nodes_.resources());
  columns_.resize(nodes_.resources());
  for (auto& column : columns_) column.resize(nodes, kClosed);
  if (fits_.size() < static_cast<std::size_t>(plan_.groups()))
    fits_.resize(plan_.groups());
  for (auto& fits : fits_) fits.resize(nodes);
  idle_until_.resize(nodes);
  seen_.resize(nodes);
  sums_.assign(plan_.groups(), 0);
  all_ ? LookAtAll() : LookAtThoseWithRoom();
  if (!counts_) {
    starts_ = {};
    enters_.SkipBefore(WindowEnd());
    return;
  }
  BeginCounts();
  while (EntersAt(enters_.time()) <= time_ && enters_.time() != kForever)
    Count(enters_.Next(), What::kBlocking, 1);
}

bool EarliestStart::FindBounds(Time duration, Time before) {
  if (all_) {
    bounds_.assign(nodes_.size(), std::numeric_limits<Time>::min());
    return true;
  }
  bounds_.assign(nodes_.size(), kForever);
  const Time now = nodes_.now();
  int missing = 0;
  for (int g = 0; g < plan_.groups(); ++g) {
    const TaskGroup& group = plan_.group(g);
    const auto& most = nodes_.limits().Of(View::kEmpty, plan_.needs(g)).most;
    const auto& starts =
        nodes_.Starts(plan_.needs(g), plan_.amounts(g), duration);
    int left = group.count;
    for (NodeIndex node = 0; node < nodes_.size(); ++node)
      bounds_[node] = std::min(bounds_[node], starts[node]);
    if (leaving_ != nullptr) {
      for (const NodeIndex node : leaving_->nodes()) bounds_[node] = now;
    }
    ForEachOwn([&](NodeIndex node) { bounds_[node] = now; });
    for (NodeIndex node = 0; node < nodes_.size() && left > 0; ++node) {
      const bool late =
          starts[node] >= before && !IsLeft(node) && !MayBeOwn(node);
      if (late || !plan_.MayTake(node, g)) continue;
      left -= most[node] == FitLimits::kMany ? left : most[node];
    }
    missing = std::max(missing, left);
  }
  if (missing > 0) shortfall_.Note(now, missing);
  return missing == 0;
}

void EarliestStart::End() {
  EndCounts();
  for (const NodeIndex node : looked_at_) {
    for (auto& column : columns_) column[node] = kClosed;
    for (auto& fits : fits_) fits[node] = 0;
    idle_until_[node] = 0;
    seen_[node] = 0;
  }
  looked_at_.clear();
}

void EarliestStart::LookAtAll() {
  for (NodeIndex node = 0; node < nodes_.size(); ++node) Look(node);
}

void EarliestStart::LookAtThoseWithRoom() {
  for (int g = 0; g < plan_.groups(); ++g) {
    const NodeBits& room = nodes_.limits().Of(View::kNow, plan_.needs(g)).room;
    for (std::size_t word = 0; word < room.words(); ++word) {
      for (std::uint64_t left = room.WordAt(word); left != 0;
           left &= left - 1) {
        const NodeIndex node =
            static_cast<NodeIndex>(word) * NodeOrder::kBlock +
            std::countr_zero(left);
        if (seen_[node] == 0 && plan_.MayTake(node, g)) Look(node);
      }
    }
  }
  ForEachOwn([&](NodeIndex node) {
    if (seen_[node] == 0) Look(node);
  });
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

void EarliestStart::Count(const SpanTimeline::Moment& moment, What what,
                          int sign) {
  if (!counts_) return;
  const bool starts = sign > 0;
  const Span& span = nodes_.spans()[moment.span];
  if (span.rules == kNoRules || !nodes_.Present(span.node) ||
      nodes_.spans().IsGone(moment, starts))
    return;
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

Time EarliestStart::WindowEnd() const { return EndOf(time_, duration_); }

Time EarliestStart::EntersAt(Time start) const {
  const bool always = duration_ == kForever ||
                      start < std::numeric_limits<Time>::min() + duration_;
  return always ? std::numeric_limits<Time>::min() : start - duration_ + 1;
}

void EarliestStart::Look(NodeIndex node) {
  if (bounds_[node] > time_ || idle_until_[node] > time_ ||
      !nodes_.TakesTasks(node))
    return;
  if (seen_[node] == 0) looked_at_.push_back(node);
  seen_[node] = 1;
  if (nodes_.HasAhead(node) || time_ > nodes_.now()) {
    nodes_.Profile(node).Least(time_, WindowEnd(), least_, LeavingAt(node));
    for (std::size_t r = 0; r < least_.size(); ++r)
      columns_[r][node] = least_[r];
  } else {
    const Columns& now = nodes_.At(View::kNow);
    for (std::size_t r = 0; r < now.size(); ++r)
      columns_[r][node] = now[r][node];
  }
  if (plan_.IsOwn(node, time_, WindowEnd()))
    columns_[nodes_.seats()][node] = NodeColumns::kSeats;
  if (!CountAgain(node) && !all_ && !MayBeOwn(node))
    idle_until_[node] = NextRoom(node);
}

bool EarliestStart::CountAgain(NodeIndex node) {
  bool any = false;
  for (int g = 0; g < plan_.groups(); ++g) {
    const int fits =
        plan_.CountAlone(columns_, node, g, std::max(plan_.group(g).count, 1));
    sums_[g] += fits - fits_[g][node];
    fits_[g][node] = fits;
    any = any || fits > 0;
  }
  return any;
}

Time EarliestStart::NextRoom(NodeIndex node) {
  const NodeProfile& profile = nodes_.Profile(node);
  Time next = kForever;
  for (int g = 0; g < plan_.groups(); ++g) {
    if (!plan_.MayTake(node, g)) continue;
    const auto fits = profile.FirstFit(plan_.amounts(g), duration_, time_,
                                       std::min(before_, next),
                                       nodes_.resources(), 1, LeavingAt(node));
    next = fits.value_or(next);
  }
  return next;
}

Time EarliestStart::NextTime() const {
  const Time end = ends_.time() == kForever
                       ? kForever
                       : std::max(ends_.time(), nodes_.now() + 1);
  if (!counts_) return end;
  const Time enter = enters_.time();
  return std::min(
      {end, starts_.time(), enter == kForever ? kForever : EntersAt(enter)});
}

bool EarliestStart::Step() {
  const Reader ends = ends_;
  const Reader starts = starts_;
  while (enters_.time() != kForever && EntersAt(enters_.time()) <= time_) {
    const auto& moment = enters_.Next();
    Look(moment.node);
    Count(moment, What::kBlocking, 1);
  }
  while (starts_.time() <= time_) {
    const auto& moment = starts_.Next();
    Look(moment.node);
    Count(moment, What::kPresent, 1);
  }
  while (ends_.time() <= time_) {
    const auto& moment = ends_.Next();
    Look(moment.node);
    Count(moment, What::kPresent, -1);
    Count(moment, What::kBlocking, -1);
  }
  if (Lacking() > 0) return false;
  return Any(ends, false) || (plan_.NeedsOthers() && Any(starts, true));
}

// True if a moment up to time_ is of a span that still exists.
bool EarliestStart::Any(Reader moments, bool only_ahead) const {
  while (moments.time() <= time_) {
    if (!nodes_.spans().IsGone(moments.Next(), only_ahead)) return true;
  }
  return false;
}

int EarliestStart::Lacking() const {
  std::int64_t lacking = 0;
  for (int g = 0; g < plan_.groups(); ++g)
    lacking += std::max<std::int64_t>(plan_.group(g).count - sums_[g], 0);
  return static_cast<int>(lacking);
}

}  // namespace fluxnetes::matcher
