#include "matcher/room_over_time.h"

#include <algorithm>

#include "matcher/node_table.h"

namespace fluxnetes::matcher {

RoomOverTime::RoomOverTime(NodeTable& nodes) : resources_(nodes.resources()) {
  nodes.Refresh();
  std::vector<Sum> free(resources_);
  const Columns& ever = nodes.At(View::kEver);
  for (NodeIndex node = 0; node < nodes.size(); ++node) {
    if (!nodes.TakesTasks(node)) continue;
    for (int r = 0; r < nodes.resources(); ++r) {
      // Where a node has less than nothing, the others have no less for it.
      free[r] += nodes.FreeNow(node, r) + std::max(Sum{0}, -Sum{ever[r][node]});
    }
  }
  times_.push_back(nodes.now());
  free_ = free;
  const auto& ends = nodes.spans().Ends();
  const auto& starts = nodes.spans().Starts();
  const auto apply = [&](const SpanTimeline::Moment& moment, Time time,
                         int sign) {
    const Span& span = nodes.spans()[moment.span];
    if (!nodes.TakesTasks(span.node)) return;
    if (times_.back() < time) {
      times_.push_back(time);
      free_.insert(free_.end(), free.begin(), free.end());
    }
    const auto amounts = nodes.spans().Amounts(moment.span);
    for (std::size_t r = 0; r < resources_; ++r) {
      free[r] += Sum{sign} * span.tasks * amounts[r];
      free_[free_.size() - resources_ + r] = free[r];
    }
  };
  std::size_t next = 0;
  for (const auto& end : ends) {
    const Time time = std::max(end.time, nodes.now() + 1);
    for (; next < starts.size() && starts[next].time <= time; ++next)
      apply(starts[next], starts[next].time, -1);
    apply(end, time, 1);
  }
  for (; next < starts.size(); ++next)
    apply(starts[next], starts[next].time, -1);
  SumUp();
}

void RoomOverTime::SumUp() {
  const std::size_t blocks = (times_.size() + kBlock - 1) / kBlock;
  most_.assign(blocks * resources_, 0);
  for (std::size_t step = 0; step < times_.size(); ++step) {
    for (std::size_t r = 0; r < resources_; ++r) {
      Sum& most = most_[step / kBlock * resources_ + r];
      most = std::max(most, free_[step * resources_ + r]);
    }
  }
}

std::size_t RoomOverTime::StepAt(Time time) {
  const auto at = std::lower_bound(times_.begin(), times_.end(), time);
  const auto step = static_cast<std::size_t>(at - times_.begin());
  if (at != times_.end() && *at == time) return step;
  times_.insert(at, time);
  const auto offset = [&](std::size_t of) {
    return free_.begin() + static_cast<std::ptrdiff_t>(of * resources_);
  };
  const std::vector<Sum> before(offset(step - 1), offset(step));
  free_.insert(offset(step), before.begin(), before.end());
  return step;
}

void RoomOverTime::Charge(Time from, Time end, const std::vector<Sum>& amounts,
                          int sign) {
  from = std::max(from, times_.front());
  if (end <= from) return;
  const std::size_t first = StepAt(from);
  const std::size_t last = end == kForever ? times_.size() : StepAt(end);
  for (std::size_t step = first; step < last; ++step) {
    for (std::size_t r = 0; r < resources_; ++r)
      free_[step * resources_ + r] += sign * amounts[r];
  }
  SumUp();
}

void RoomOverTime::Add(Time from, Time end, const std::vector<Sum>& amounts) {
  Charge(from, end, amounts, 1);
}

void RoomOverTime::Take(Time from, Time end, const std::vector<Sum>& amounts) {
  Charge(from, end, amounts, -1);
}

bool RoomOverTime::Enough(const Sum* free,
                          const std::vector<Sum>& amounts) const {
  for (std::size_t r = 0; r < resources_; ++r)
    if (amounts[r] > 0 && amounts[r] > free[r]) return false;
  return true;
}

std::optional<Time> RoomOverTime::Find(const std::vector<Sum>& amounts,
                                       Time duration, Time before,
                                       Time own_from, Time own_end) const {
  std::optional<Time> begin;
  for (std::size_t step = 0; step < times_.size(); ++step) {
    const Time time = times_[step];
    if (begin && duration <= time - *begin) return begin;
    if (!begin && time >= before) return std::nullopt;
    const bool own = time >= own_from && time < own_end;
    if (own || Enough(&free_[step * resources_], amounts)) {
      if (!begin) begin = time;
      continue;
    }
    begin.reset();
    const std::size_t block = step / kBlock + 1;
    const std::size_t last = (block + 1) * kBlock;
    // The steps of the next block, if there is never enough in it.
    if (step % kBlock == kBlock - 1 && last <= times_.size() &&
        (times_[last - 1] < own_from || times_[block * kBlock] >= own_end) &&
        !Enough(&most_[block * resources_], amounts))
      step = last - 1;
  }
  return begin;
}

std::vector<RoomOverTime::Sum> SumOf(const Gang& gang, std::size_t resources) {
  std::vector<RoomOverTime::Sum> sums(resources);
  for (const TaskGroup& group : gang.groups) {
    for (std::size_t r = 0; r < group.amounts.size() && r < resources; ++r)
      sums[r] += RoomOverTime::Sum{group.count} * group.amounts[r];
  }
  return sums;
}

}  // namespace fluxnetes::matcher
