#include "matcher/gangs/leaving_gang.h"

#include <algorithm>

namespace fluxnetes::matcher {

void LeavingGang::Set(const Gang& gang, const Placement& own,
                      const NodeColumns& nodes, std::optional<JobId> job) {
  Clear();
  job_ = job;
  resources_ = static_cast<std::size_t>(nodes.resources());
  const int seats = nodes.seats();
  start_ = own.start;
  end_ = EndOf(start_, gang.duration);
  at_.resize(nodes.size(), -1);
  const auto amounts_at = [&](NodeIndex node) -> std::int32_t {
    std::int32_t& at = at_[node];
    if (at < 0) {
      at = static_cast<std::int32_t>(amounts_.size());
      amounts_.resize(amounts_.size() + resources_);
      nodes_.push_back(node);
    }
    return at;
  };
  for (const PoolNeed& need : gang.pools)
    amounts_[amounts_at(need.pool) + nodes.PoolResource(need.pool)] =
        need.amount;
  auto place = own.nodes.begin();
  for (const TaskGroup& group : gang.groups) {
    for (int i = 0; i < group.count && place != own.nodes.end(); ++i) {
      const std::int32_t at = amounts_at(*place);
      for (std::size_t r = 0; r < group.amounts.size(); ++r) {
        std::int64_t& sum = amounts_[at + r];
        sum = std::min(sum, kMaxAmount) + group.amounts[r];
      }
      if (seats >= 0 && !gang.aside)
        amounts_[at + seats] += gang.whole_nodes ? NodeColumns::kSeats : 1;
      ++place;
    }
  }
}

void LeavingGang::Clear() {
  for (const NodeIndex node : nodes_) at_[node] = -1;
  nodes_.clear();
  amounts_.clear();
}

}  // namespace fluxnetes::matcher
