#include "tests/matcher/plain_node_graph.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace fluxnetes::matcher {
namespace {

Time Plus(Time start, Time duration) {
  return duration >= kForever - start ? kForever : start + duration;
}

std::int64_t AmountOf(const TaskGroup& group, int resource) {
  return resource < static_cast<int>(group.amounts.size())
             ? group.amounts[resource]
             : 0;
}

}  // namespace

bool PlainNodeGraph::Holds(NodeIndex node) const {
  return std::any_of(tasks_.begin(), tasks_.end(),
                     [&](const Task& task) { return task.node == node; });
}

std::int64_t PlainNodeGraph::Used(NodeIndex node, int resource, Time at,
                                  Time now) const {
  std::int64_t used = 0;
  for (const Task& task : tasks_) {
    if (task.node != node || task.start > at) continue;
    const Time end = task.start <= now ? std::max(task.end, now + 1) : task.end;
    if (end > at) used += task.amounts[resource];
  }
  return used;
}

PlainNodeGraph::Amounts PlainNodeGraph::Empty() const {
  Amounts free;
  for (const Node& node : nodes_) {
    free.emplace_back();
    for (int r = 0; r < resources_; ++r) {
      free.back().push_back(node.totals[r] - node.foreign[r]);
    }
  }
  return free;
}

// The least of all moments in [from, from + duration): something changes only
// where a task starts, so these and `from` are enough.
PlainNodeGraph::Amounts PlainNodeGraph::Least(Time from, Time duration,
                                              Time now) const {
  std::set<Time> moments = {from};
  for (const Task& task : tasks_) {
    if (task.start > from && task.start < Plus(from, duration)) {
      moments.insert(task.start);
    }
  }
  const Amounts empty = Empty();
  Amounts least = empty;
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    for (int r = 0; r < resources_; ++r) {
      for (const Time at : moments) {
        const auto used = Used(static_cast<NodeIndex>(n), r, at, now);
        least[n][r] = std::min(least[n][r], empty[n][r] - used);
      }
    }
  }
  return least;
}

std::vector<NodeIndex> PlainNodeGraph::Order(Policy policy) const {
  std::vector<NodeIndex> order(nodes_.size());
  std::iota(order.begin(), order.end(), 0);
  if (policy != Policy::kFirst) {
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
      return nodes_[a].id < nodes_[b].id;
    });
  }
  if (policy != Policy::kLow && policy != Policy::kLonode) {
    std::reverse(order.begin(), order.end());
  }
  return order;
}

bool PlainNodeGraph::Takes(Amounts& free, NodeIndex node,
                           const TaskGroup& group) const {
  if (!nodes_[node].present || !nodes_[node].open) return false;
  if (group.eligible != nullptr && !group.eligible->Contains(node)) {
    return false;
  }
  for (int r = 0; r < resources_; ++r) {
    const std::int64_t amount = AmountOf(group, r);
    if (amount > 0 && amount > free[node][r]) return false;
  }
  for (int r = 0; r < resources_; ++r) free[node][r] -= AmountOf(group, r);
  return true;
}

std::vector<int> PlainNodeGraph::HardestFirst(const Gang& gang) const {
  std::vector<double> room;
  for (const TaskGroup& group : gang.groups) {
    double share = 0;
    for (int r = 0; r < resources_; ++r) {
      double total = 0;
      for (const Node& node : nodes_) {
        if (node.present && node.open) {
          total += static_cast<double>(node.totals[r]);
        }
      }
      if (AmountOf(group, r) == 0) continue;
      share = std::max(share, static_cast<double>(AmountOf(group, r)) /
                                  std::max(total, 1.0));
    }
    const auto open = std::count_if(
        nodes_.begin(), nodes_.end(),
        [](const Node& node) { return node.present && node.open; });
    const auto nodes =
        group.eligible == nullptr ? open : group.eligible->Count();
    room.push_back(static_cast<double>(nodes) / std::max(share, 1e-300));
  }
  std::vector<int> order(room.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return room[a] < room[b]; });
  return order;
}

std::optional<std::vector<NodeIndex>> PlainNodeGraph::PlaceIn(
    Amounts free, const Gang& gang, Policy policy,
    const std::vector<int>& order) const {
  std::vector<std::vector<NodeIndex>> placed(gang.groups.size());
  for (const int g : order) {
    for (const NodeIndex node : Order(policy)) {
      while (static_cast<int>(placed[g].size()) < gang.groups[g].count &&
             Takes(free, node, gang.groups[g])) {
        placed[g].push_back(node);
      }
    }
    if (static_cast<int>(placed[g].size()) < gang.groups[g].count) return {};
  }
  std::vector<NodeIndex> all;
  for (const auto& nodes : placed) {
    all.insert(all.end(), nodes.begin(), nodes.end());
  }
  return all;
}

std::optional<std::vector<NodeIndex>> PlainNodeGraph::Place(
    const Amounts& free, const Gang& gang, Policy policy) const {
  std::vector<int> given(gang.groups.size());
  std::iota(given.begin(), given.end(), 0);
  if (auto nodes = PlaceIn(free, gang, policy, given)) return nodes;
  return PlaceIn(free, gang, policy, HardestFirst(gang));
}

Placement PlainNodeGraph::Book(JobId job, const Gang& gang, Time start,
                               std::vector<NodeIndex> nodes) {
  const bool known =
      std::any_of(tasks_.begin(), tasks_.end(),
                  [&](const Task& task) { return task.job == job; });
  int& position = next_position_[job];
  if (!known) position = 0;
  std::size_t i = 0;
  for (const TaskGroup& group : gang.groups) {
    for (int t = 0; t < group.count; ++t) {
      Task task{job, position++, nodes[i++], start, Plus(start, gang.duration),
                {}};
      for (int r = 0; r < resources_; ++r) {
        task.amounts.push_back(AmountOf(group, r));
      }
      tasks_.push_back(std::move(task));
    }
  }
  return {start, std::move(nodes)};
}

MatchResult PlainNodeGraph::Allocate(JobId job, const Gang& gang, Policy policy,
                                     Time now) {
  if (auto nodes = Place(Least(now, gang.duration, now), gang, policy)) {
    return Book(job, gang, now, *std::move(nodes));
  }
  return Satisfiable(gang, policy) ? NoFit::kNow : NoFit::kNever;
}

MatchResult PlainNodeGraph::AllocateOrReserve(JobId job, const Gang& gang,
                                              Policy policy, Time now) {
  MatchResult result = Allocate(job, gang, policy, now);
  const auto* no_fit = std::get_if<NoFit>(&result);
  if (no_fit == nullptr || *no_fit == NoFit::kNever) return result;
  std::set<Time> ends;
  for (const Task& task : tasks_) {
    if (task.end != kForever) ends.insert(std::max(task.end, now + 1));
  }
  for (const Time start : ends) {
    if (auto nodes = Place(Least(start, gang.duration, now), gang, policy)) {
      return Book(job, gang, start, *std::move(nodes));
    }
  }
  return NoFit::kNoTime;
}

bool PlainNodeGraph::Satisfiable(const Gang& gang, Policy policy) const {
  return Place(Empty(), gang, policy).has_value();
}

int PlainNodeGraph::CountFits(const TaskGroup& group, Time duration, Time now,
                              int limit) const {
  Amounts free = Least(now, duration, now);
  int count = 0;
  for (const NodeIndex node : Order(Policy::kLonode)) {
    while (count < limit && Takes(free, node, group)) ++count;
  }
  return count;
}

void PlainNodeGraph::Restore(
    JobId job, Time start, Time end, NodeIndex node,
    const std::vector<std::vector<std::int64_t>>& amounts) {
  for (const auto& of_task : amounts) {
    tasks_.push_back({job, next_position_[job]++, node, start, end, of_task});
  }
}

bool PlainNodeGraph::Release(JobId job, int position) {
  return std::erase_if(tasks_, [&](const Task& task) {
           return task.job == job && task.position == position;
         }) > 0;
}

bool PlainNodeGraph::Cancel(JobId job) {
  return std::erase_if(tasks_,
                       [&](const Task& task) { return task.job == job; }) > 0;
}

std::int64_t PlainNodeGraph::Free(NodeIndex node, int resource,
                                  Time now) const {
  return nodes_[node].totals[resource] - nodes_[node].foreign[resource] -
         Used(node, resource, now, now);
}

}  // namespace fluxnetes::matcher
