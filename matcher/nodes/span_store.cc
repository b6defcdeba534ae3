#include "matcher/nodes/span_store.h"

#include <algorithm>
#include <iterator>

namespace fluxnetes::matcher {

namespace {

// The most new moments that Read() keeps apart.
constexpr std::size_t kNew = 512;

bool Sooner(const SpanTimeline::Moment& a, const SpanTimeline::Moment& b) {
  return a.time < b.time;
}

}  // namespace

const std::vector<SpanTimeline::Moment>& SpanTimeline::Sorted(
    std::span<const Span> spans, bool only_ahead) {
  const auto gone = [&](const Moment& moment) {
    return IsGone(spans, moment, only_ahead);
  };
  if (lost_ > 0) {
    std::erase_if(added_, gone);
    std::erase_if(sorted_, gone);
    lost_ = 0;
  }
  in_order_ = 0;
  if (added_.empty()) return sorted_;
  std::stable_sort(added_.begin(), added_.end(), Sooner);
  merged_.clear();
  std::merge(sorted_.begin(), sorted_.end(), added_.begin(), added_.end(),
             std::back_inserter(merged_), Sooner);
  sorted_.swap(merged_);
  added_.clear();
  return sorted_;
}

SpanTimeline::Reader SpanTimeline::Read(std::span<const Span> spans,
                                        bool only_ahead) {
  if (lost_ > sorted_.size() / 8 || added_.size() > kNew)
    return {Sorted(spans, only_ahead), {}};
  const auto middle = added_.begin() + static_cast<std::ptrdiff_t>(in_order_);
  std::stable_sort(middle, added_.end(), Sooner);
  std::inplace_merge(added_.begin(), middle, added_.end(), Sooner);
  in_order_ = added_.size();
  return {sorted_, added_};
}

void SpanStore::SetResources(int resources) {
  std::vector<std::int64_t> wider(spans_.size() * resources);
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    std::copy_n(amounts_.begin() + static_cast<std::ptrdiff_t>(i) * resources_,
                resources_,
                wider.begin() + static_cast<std::ptrdiff_t>(i) * resources);
  }
  amounts_ = std::move(wider);
  resources_ = resources;
}

SpanId SpanStore::Add(const Span& span, std::span<const std::int64_t> amounts) {
  SpanId id = size();
  if (unused_.empty()) {
    spans_.emplace_back();
    amounts_.resize(amounts_.size() + resources_);
  } else {
    id = unused_.back();
    unused_.pop_back();
  }
  const auto place = amounts_.begin() + std::ptrdiff_t{id} * resources_;
  std::fill(std::copy(amounts.begin(), amounts.end(), place),
            place + resources_, 0);
  const std::uint32_t generation = spans_[id].generation + 1;
  Span& added = spans_[id] = span;
  added.generation = generation;
  added.previous = -1;
  added.next = first_[span.node];
  if (added.next >= 0) spans_[added.next].previous = id;
  first_[span.node] = id;
  LinkAlike(id);
  if (span.end != kForever) ends_.Add({span.end, id, span.node, generation});
  if (ends_.Crowded()) Ends();
  if (span.ahead) SetAhead(id, true);
  return id;
}

void SpanStore::Take(SpanId id, int tasks) {
  Span& span = spans_[id];
  span.tasks -= tasks;
  if (span.tasks > 0) return;
  if (span.next >= 0) spans_[span.next].previous = span.previous;
  if (span.previous >= 0) {
    spans_[span.previous].next = span.next;
  } else {
    first_[span.node] = span.next;
  }
  UnlinkAlike(span);
  if (span.end != kForever) ends_.Lose();
  if (span.ahead) starts_.Lose();
  unused_.push_back(id);
}

void SpanStore::LinkAlike(SpanId id) {
  Span& span = spans_[id];
  span.previous_alike = span.next_alike = -1;
  if (span.rules == kNoRules) return;
  if (static_cast<std::size_t>(span.rules) >= alike_.size()) {
    alike_.resize(span.rules + 1, -1);
  }
  span.next_alike = alike_[span.rules];
  if (span.next_alike >= 0) spans_[span.next_alike].previous_alike = id;
  alike_[span.rules] = id;
}

void SpanStore::UnlinkAlike(const Span& span) {
  if (span.rules == kNoRules) return;
  if (span.next_alike >= 0) {
    spans_[span.next_alike].previous_alike = span.previous_alike;
  }
  if (span.previous_alike >= 0) {
    spans_[span.previous_alike].next_alike = span.next_alike;
  } else {
    alike_[span.rules] = span.next_alike;
  }
}

void SpanStore::SetAhead(SpanId id, bool ahead) {
  Span& span = spans_[id];
  if (!ahead && span.ahead) starts_.Lose();
  span.ahead = ahead;
  if (!ahead) return;
  next_start_ = std::min(next_start_, span.start);
  starts_.Add({span.start, id, span.node, span.generation});
  if (starts_.Crowded()) Starts();
}

const std::vector<SpanTimeline::Moment>& SpanStore::Ends() {
  return ends_.Sorted(spans_, false);
}

const std::vector<SpanTimeline::Moment>& SpanStore::Starts() {
  return starts_.Sorted(spans_, true);
}

void SpanStore::FindNextStart() {
  const auto& starts = Starts();
  next_start_ = starts.empty() ? kForever : starts.front().time;
}

}  // namespace fluxnetes::matcher
