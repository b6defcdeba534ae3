#include "matcher/nodes/node_profile.h"

#include <algorithm>

#include "matcher/nodes/node_order.h"

namespace fluxnetes::matcher {
namespace {

bool Leaves(const Leaving& leaving, Time time) {
  return !leaving.amounts.empty() && time >= leaving.start &&
         time < leaving.end;
}

}  // namespace

std::int64_t Clamp(NodeProfile::Sum free) {
  constexpr NodeProfile::Sum kMost = std::numeric_limits<std::int64_t>::max();
  constexpr NodeProfile::Sum kLeast = kClosed + 1;
  return static_cast<std::int64_t>(std::clamp(free, kLeast, kMost));
}

void NodeProfile::Build(const SpanStore& spans, NodeIndex node,
                        std::span<const Sum> capacity, Time now) {
  thread_local std::vector<Change> changes;
  thread_local std::vector<Sum> free;
  changes.clear();
  free.assign(capacity.begin(), capacity.end());
  const auto apply = [&](SpanId id, bool takes) {
    const Sum tasks = takes ? -spans[id].tasks : spans[id].tasks;
    const auto amounts = spans.Amounts(id);
    for (std::size_t r = 0; r < free.size(); ++r) free[r] += tasks * amounts[r];
  };
  built_ = now;
  rising_ = true;
  for (SpanId id = spans.First(node); id >= 0; id = spans[id].next) {
    const Span& span = spans[id];
    if (span.ahead) {
      changes.push_back({span.start, id, true});
      rising_ = false;
    } else {
      apply(id, true);
    }
    if (span.end == kForever) continue;
    changes.push_back({std::max(span.end, now + 1), id, false});
  }
  std::sort(changes.begin(), changes.end(),
            [](const Change& a, const Change& b) { return a.time < b.time; });

  times_.clear();
  free_.clear();
  const auto step = [&] {
    for (const Sum amount : free) free_.push_back(Clamp(amount));
  };
  step();
  for (std::size_t i = 0; i < changes.size(); ++i) {
    apply(changes[i].span, changes[i].takes);
    if (i + 1 < changes.size() && changes[i + 1].time == changes[i].time) {
      continue;
    }
    times_.push_back(changes[i].time);
    step();
  }
}

void NodeProfile::Least(Time from, Time end, std::span<std::int64_t> least,
                        const Leaving& leaving) const {
  const std::size_t resources = least.size();
  std::size_t step =
      std::upper_bound(times_.begin(), times_.end(), from) - times_.begin();
  std::copy_n(free_.begin() + static_cast<std::ptrdiff_t>(step * resources),
              resources, least.begin());
  if (Leaves(leaving, from)) {
    for (std::size_t r = 0; r < resources; ++r)
      least[r] = Clamp(Sum{least[r]} + leaving.amounts[r]);
  }
  if (rising_) return;
  for (; step < times_.size() && times_[step] < end; ++step) {
    const bool leave = Leaves(leaving, times_[step]);
    for (std::size_t r = 0; r < resources; ++r) {
      const std::int64_t free = free_[(step + 1) * resources + r];
      least[r] = std::min(least[r],
                          leave ? Clamp(Sum{free} + leaving.amounts[r]) : free);
    }
  }
}

std::optional<Time> NodeProfile::FirstFit(std::span<const std::int64_t> amounts,
                                          Time duration, Time from, Time before,
                                          std::size_t resources, int tasks,
                                          const Leaving& leaving) const {
  std::optional<Time> begin;
  std::size_t step =
      std::upper_bound(times_.begin(), times_.end(), from) - times_.begin();
  for (; step <= times_.size(); ++step) {
    const Time start = step == 0 ? from : std::max(times_[step - 1], from);
    const Time end = step == times_.size() ? kForever : times_[step];
    if (!begin && start >= before) return std::nullopt;
    const std::int64_t* free = &free_[step * resources];
    // A step lies either within the time of the leaving booking or outside of
    // it.
    const bool leave = Leaves(leaving, start);
    bool enough = true;
    for (std::size_t r = 0; r < amounts.size() && enough; ++r) {
      enough = amounts[r] == 0 ||
               Sum{tasks} * amounts[r] <=
                   (leave ? Sum{free[r]} + leaving.amounts[r] : free[r]);
    }
    if (!enough) {
      begin.reset();
      continue;
    }
    if (!begin) begin = start;
    if (end == kForever || end - *begin >= duration) return begin;
  }
  return std::nullopt;
}

int NodeProfile::LeastFitBefore(std::span<const NodeChange> changes,
                                std::span<const std::int64_t> amounts,
                                Time from, Time end, std::size_t resources,
                                int limit, const Leaving& leaving) const {
  Sum least = limit;
  std::size_t step =
      std::upper_bound(times_.begin(), times_.end(), from) - times_.begin();
  for (; step <= times_.size() && least > 0; ++step) {
    const Time start = step == 0 ? from : std::max(times_[step - 1], from);
    const Time until =
        step == times_.size() ? end : std::min(times_[step], end);
    if (start >= end) break;
    const bool leave = Leaves(leaving, start);
    for (std::size_t r = 0; r < amounts.size(); ++r) {
      if (amounts[r] == 0) continue;
      Sum free =
          Sum{free_[step * resources + r]} + (leave ? leaving.amounts[r] : 0);
      for (const NodeChange& change : changes) {
        if (r >= change.amounts.size()) continue;
        // The least of the step: amounts taken for only a part of it were free
        // for the other part only.
        if (change.taken && change.start <= start && change.end >= until)
          free += change.amounts[r];
        if (!change.taken && change.start < until && change.end > start)
          free -= change.amounts[r];
      }
      least = std::min(least, std::max<Sum>(free, 0) / amounts[r]);
    }
  }
  return static_cast<int>(least);
}

int NodeProfile::MostFit(std::span<const std::int64_t> amounts, Time duration,
                         Time from, Time before, std::size_t resources,
                         int limit, const Leaving& leaving) const {
  const auto fit = [&](int tasks) {
    return FirstFit(amounts, duration, from, before, resources, tasks, leaving)
        .has_value();
  };
  int most = 0;
  int too_many = limit + 1;
  while (most + 1 < too_many) {
    // Usually none or very few fit.
    const int tasks = std::min(2 * most + 1, (most + too_many) / 2);
    (fit(tasks) ? most : too_many) = tasks;
  }
  return most;
}

}  // namespace fluxnetes::matcher
