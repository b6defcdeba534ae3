#include "tests/matcher/plain/plain_node_graph.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace fluxnetes::matcher {
namespace {

Time Plus(Time start, Time duration) {
  return duration >= kForever - start ? kForever : start + duration;
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

Seating PlainNodeGraph::Seated(JobId job, Seating seating) {
  if (seating.holder == 0) seating.holder = job;
  return seating;
}

bool PlainNodeGraph::IsBarred(NodeIndex node, const Seating& seating, Time from,
                              Time end, Time now) const {
  if (seating.aside) return false;
  if (seating.whole_nodes && nodes_[node].occupants > 0) return true;
  return std::any_of(tasks_.begin(), tasks_.end(), [&](const Task& task) {
    if (task.node != node || task.seating.aside) return false;
    const Time until =
        task.start <= now ? std::max(task.end, now + 1) : task.end;
    if (task.start >= end || until <= from) return false;
    if (!task.seating.whole_nodes) return seating.whole_nodes;
    return !seating.whole_nodes || seating.holder == 0 ||
           task.seating.holder != seating.holder;
  });
}

void PlainNodeGraph::Bar(const Seating& seating, Time from, Time end,
                         Time now) const {
  barred_.assign(nodes_.size(), false);
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    barred_[n] = IsBarred(static_cast<NodeIndex>(n), seating, from, end, now);
  }
}

void PlainNodeGraph::BarOnEmpty(const Seating& seating) const {
  barred_.assign(nodes_.size(), false);
  for (std::size_t n = 0; n < nodes_.size(); ++n)
    barred_[n] = seating.whole_nodes && nodes_[n].occupants > 0;
}

PlainNodeGraph::Amounts PlainNodeGraph::Empty() const {
  Amounts free;
  for (const Node& node : nodes_) {
    free.emplace_back();
    for (int r = 0; r < resources_; ++r) {
      free.back().push_back(node.totals[r] - node.unmanaged[r]);
    }
  }
  return free;
}

// Returns the least of all moments in [from, from + duration). It only
// decreases where a task starts, so those moments and `from` suffice.
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
  if (ScoresTasks(policy)) return order;
  if (!policy.stop_on_match) {
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
      return nodes_[a].id < nodes_[b].id;
    });
  }
  if (policy.stop_on_match || policy.descending) {
    std::reverse(order.begin(), order.end());
  }
  return order;
}

const TaskRules* PlainNodeGraph::RulesOf(RulesId id) const {
  return id == kNoRules ? nullptr : &rules_.at(id);
}

PlacedRules PlainNodeGraph::Nobody() const {
  PlacedRules around;
  around.nodes = &labelled_;
  around.empty = true;
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    for (const RulesId rules : nodes_[n].unmanaged_tasks) {
      around.blocking.push_back({static_cast<NodeIndex>(n), RulesOf(rules)});
    }
  }
  return around;
}

PlacedRules PlainNodeGraph::Around(Time at, Time duration, Time now) const {
  PlacedRules around = Nobody();
  around.present = around.blocking;
  around.empty = false;
  for (const Task& task : tasks_) {
    const Time end = task.start <= now ? std::max(task.end, now + 1) : task.end;
    if (end <= at) continue;
    const PlacedTask placed{task.node, RulesOf(task.rules)};
    if (task.start <= at) around.present.push_back(placed);
    if (task.start < Plus(at, duration)) around.blocking.push_back(placed);
  }
  return around;
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
      Task task{job,
                position++,
                nodes[i++],
                start,
                Plus(start, gang.duration),
                {},
                group.rules,
                Seated(job, SeatingOf(gang))};
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
  if (const auto whole = Whole(gang, policy))
    return Allocate(job, *whole, policy, now);
  Bar(Seated(job, SeatingOf(gang)), now, Plus(now, gang.duration), now);
  if (auto nodes = Place(Least(now, gang.duration, now),
                         Around(now, gang.duration, now), gang, policy)) {
    return Book(job, gang, now, *std::move(nodes));
  }
  return Satisfiable(gang, policy) ? NoFit::kNow : NoFit::kNever;
}

MatchResult PlainNodeGraph::AllocateOrReserve(JobId job, const Gang& gang,
                                              Policy policy, Time now) {
  if (const auto whole = Whole(gang, policy))
    return AllocateOrReserve(job, *whole, policy, now);
  MatchResult result = Allocate(job, gang, policy, now);
  const auto* no_fit = std::get_if<NoFit>(&result);
  if (no_fit == nullptr || *no_fit == NoFit::kNever) return result;
  // If the gang needs other tasks, it may also help that some start.
  const bool needs_others = std::any_of(
      gang.groups.begin(), gang.groups.end(), [&](const TaskGroup& group) {
        const TaskRules* rules = RulesOf(group.rules);
        return rules != nullptr &&
               (!rules->affinity.empty() ||
                std::any_of(rules->spread.begin(), rules->spread.end(),
                            [](const auto& each) { return each.required; }));
      });
  std::set<Time> moments;
  for (const Task& task : tasks_) {
    if (task.end != kForever) moments.insert(std::max(task.end, now + 1));
    if (needs_others && task.start > now) moments.insert(task.start);
  }
  for (const Time start : moments) {
    Bar(Seated(job, SeatingOf(gang)), start, Plus(start, gang.duration), now);
    if (auto nodes = Place(Least(start, gang.duration, now),
                           Around(start, gang.duration, now), gang, policy)) {
      return Book(job, gang, start, *std::move(nodes));
    }
  }
  return NoFit::kNoTime;
}

std::optional<Gang> PlainNodeGraph::Whole(const Gang& gang, Policy policy) {
  if (!policy.node_exclusive || gang.whole_nodes || gang.aside) return {};
  Gang whole = gang;
  whole.whole_nodes = true;
  return whole;
}

bool PlainNodeGraph::Satisfiable(const Gang& gang, Policy policy) const {
  if (const auto whole = Whole(gang, policy))
    return Satisfiable(*whole, policy);
  BarOnEmpty(SeatingOf(gang));
  return Place(Empty(), Nobody(), gang, policy).has_value();
}

int PlainNodeGraph::CountFits(const TaskGroup& group, Time duration, Time now,
                              int limit, const Seating& seating) const {
  Bar(seating, now, Plus(now, duration), now);
  Amounts free = Least(now, duration, now);
  PlacedRules around = Around(now, duration, now);
  TaskGroup most = group;
  most.count = limit;
  policy_ = Policy::kLonode;
  return static_cast<int>(
      PlaceGroup(free, around, most, Order(Policy::kLonode)).size());
}

void PlainNodeGraph::Restore(
    JobId job, Time start, Time end, NodeIndex node,
    const std::vector<std::vector<std::int64_t>>& amounts, RulesId rules,
    const Seating& seating) {
  for (const auto& of_task : amounts) {
    tasks_.push_back({job, next_position_[job]++, node, start, end, of_task,
                      rules, Seated(job, seating)});
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
  return nodes_[node].totals[resource] - nodes_[node].unmanaged[resource] -
         Used(node, resource, now, now);
}

}  // namespace fluxnetes::matcher
