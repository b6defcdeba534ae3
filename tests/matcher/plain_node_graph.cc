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

const TaskRules* PlainNodeGraph::RulesOf(RulesId id) const {
  return id == kNoRules ? nullptr : &rules_.at(id);
}

Surroundings PlainNodeGraph::Nobody() const {
  Surroundings around;
  around.nodes = &labelled_;
  around.empty = true;
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    for (const RulesId rules : nodes_[n].foreign_tasks) {
      around.blocking.push_back({static_cast<NodeIndex>(n), RulesOf(rules)});
    }
  }
  return around;
}

Surroundings PlainNodeGraph::Around(Time at, Time duration, Time now) const {
  Surroundings around = Nobody();
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

bool PlainNodeGraph::HasRoom(const Amounts& free, NodeIndex node,
                             const TaskGroup& group) const {
  if (!nodes_[node].present || !nodes_[node].open) return false;
  if (group.eligible != nullptr && !group.eligible->Contains(node)) {
    return false;
  }
  for (int r = 0; r < resources_; ++r) {
    const std::int64_t amount = AmountOf(group, r);
    if (amount > 0 && amount > free[node][r]) return false;
  }
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
    const TaskRules* rules = RulesOf(group.rules);
    long nodes = 0;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      if (!nodes_[n].present || !nodes_[n].open) continue;
      if (rules != nullptr) {
        if (!Affine(labelled_[n], rules->node)) continue;
        if (!Tolerated(labelled_[n], rules->node)) continue;
        if (group.eligible != nullptr &&
            !group.eligible->Contains(static_cast<NodeIndex>(n))) {
          continue;
        }
      }
      ++nodes;
    }
    if (rules == nullptr && group.eligible != nullptr) {
      nodes = group.eligible->Count();
    }
    room.push_back(static_cast<double>(nodes) / std::max(share, 1e-300));
  }
  std::vector<int> order(room.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return room[a] < room[b]; });
  FollowersLast(gang, order);
  return order;
}

// Those with an affinity that they do not meet themselves.
void PlainNodeGraph::FollowersLast(const Gang& gang,
                                   std::vector<int>& order) const {
  std::stable_partition(order.begin(), order.end(), [&](int g) {
    const TaskRules* rules = RulesOf(gang.groups[g].rules);
    return rules == nullptr ||
           std::all_of(
               rules->affinity.begin(), rules->affinity.end(),
               [&](const auto& each) { return Takes(each.selector, *rules); });
  });
}

std::vector<NodeIndex> PlainNodeGraph::Fill(
    Amounts& free, Surroundings& around, const TaskGroup& group,
    const std::vector<NodeIndex>& among) const {
  const TaskRules* rules = RulesOf(group.rules);
  std::vector<NodeIndex> placed;
  while (static_cast<int>(placed.size()) < group.count) {
    NodeIndex best = -1;
    int most = 0;
    for (const NodeIndex node : among) {
      if (!HasRoom(free, node, group)) continue;
      if (rules != nullptr && !Admits(around, node, *rules)) continue;
      const int points = rules == nullptr ? 0 : Points(around, node, *rules);
      if (best >= 0 && points <= most) continue;
      best = node;
      most = points;
    }
    if (best < 0) break;
    for (int r = 0; r < resources_; ++r) free[best][r] -= AmountOf(group, r);
    around.present.push_back({best, rules});
    around.blocking.push_back({best, rules});
    placed.push_back(best);
  }
  return placed;
}

// A series that does not fit where its first task went tries the next domain;
// if it fits in none, what is placed is the most that was, first found.
std::vector<NodeIndex> PlainNodeGraph::PlaceGroup(
    Amounts& free, Surroundings& around, const TaskGroup& group,
    const std::vector<NodeIndex>& among) const {
  const TaskRules* rules = RulesOf(group.rules);
  if (rules == nullptr || !StartsSeries(around, *rules)) {
    return Fill(free, around, group, among);
  }
  const std::string& key = rules->affinity[0].topology_key;
  std::vector<NodeIndex> left = among;
  std::vector<NodeIndex> most;
  Amounts free_then = free;
  Surroundings around_then = around;
  for (;;) {
    Amounts free_here = free;
    Surroundings around_here = around;
    const auto placed = Fill(free_here, around_here, group, left);
    const bool all = static_cast<int>(placed.size()) == group.count;
    if (all || placed.size() > most.size()) {
      most = placed;
      free_then = free_here;
      around_then = around_here;
    }
    if (all || placed.empty()) break;
    const auto domain = DomainOf(around, placed[0], key);
    std::erase_if(left, [&](NodeIndex node) {
      return DomainOf(around, node, key) == domain;
    });
  }
  free = free_then;
  around = around_then;
  return most;
}

PlainNodeGraph::Placed PlainNodeGraph::PlaceIn(
    Amounts free, Surroundings around, const Gang& gang,
    const std::vector<NodeIndex>& among, const std::vector<int>& order) const {
  std::vector<std::vector<NodeIndex>> placed(gang.groups.size());
  for (const int g : order) {
    placed[g] = PlaceGroup(free, around, gang.groups[g], among);
  }
  std::vector<NodeIndex> all;
  std::vector<int> counts;
  int asked = 0;
  for (std::size_t g = 0; g < placed.size(); ++g) {
    all.insert(all.end(), placed[g].begin(), placed[g].end());
    counts.push_back(static_cast<int>(placed[g].size()));
    asked += gang.groups[g].count;
  }
  if (static_cast<int>(all.size()) > most_sum_) {
    most_sum_ = static_cast<int>(all.size());
    most_ = counts;
  }
  if (static_cast<int>(all.size()) < asked) return {};
  return all;
}

PlainNodeGraph::Placed PlainNodeGraph::PlaceAmong(
    const Amounts& free, const Surroundings& around, const Gang& gang,
    const std::vector<NodeIndex>& among) const {
  std::vector<int> given(gang.groups.size());
  std::iota(given.begin(), given.end(), 0);
  FollowersLast(gang, given);
  if (auto nodes = PlaceIn(free, around, gang, among, given)) return nodes;
  return PlaceIn(free, around, gang, among, HardestFirst(gang));
}

PlainNodeGraph::Placed PlainNodeGraph::PlaceTogether(
    const Amounts& free, const Surroundings& around, const Gang& gang,
    const std::vector<NodeIndex>& among, const std::string& key) const {
  std::map<std::string, std::vector<NodeIndex>> domains;
  for (const NodeIndex node : among) {
    const auto domain = DomainOf(around, node, key);
    if (domain) domains[*domain].push_back(node);
  }
  std::vector<std::pair<double, std::string>> tightest;
  for (const auto& [name, nodes] : domains) {
    double sum = 0;
    for (int r = 0; r < resources_; ++r) {
      const bool needed = std::any_of(
          gang.groups.begin(), gang.groups.end(), [&](const auto& group) {
            return group.count > 0 && AmountOf(group, r) > 0;
          });
      if (!needed) continue;
      double total = 0;
      double here = 0;
      for (const NodeIndex node : among) {
        if (!nodes_[node].present || !nodes_[node].open) continue;
        total += static_cast<double>(nodes_[node].totals[r]);
        if (DomainOf(around, node, key) != name) continue;
        here += static_cast<double>(std::max<std::int64_t>(free[node][r], 0));
      }
      sum += here / std::max(total, 1.0);
    }
    tightest.emplace_back(sum, name);
  }
  std::sort(tightest.begin(), tightest.end());
  for (const auto& [sum, name] : tightest) {
    if (auto nodes = PlaceAmong(free, around, gang, domains[name])) {
      return nodes;
    }
  }
  return {};
}

PlainNodeGraph::Placed PlainNodeGraph::Place(const Amounts& free,
                                             const Surroundings& around,
                                             const Gang& gang,
                                             Policy policy) const {
  const std::vector<NodeIndex> all = Order(policy);
  for (const std::string& key : gang.together) {
    if (auto nodes = PlaceTogether(free, around, gang, all, key)) return nodes;
  }
  if (!gang.together.empty() && gang.together_required) return {};
  return PlaceAmong(free, around, gang, all);
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
                {},  group.rules};
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
  if (auto nodes = Place(Least(now, gang.duration, now),
                         Around(now, gang.duration, now), gang, policy)) {
    return Book(job, gang, now, *std::move(nodes));
  }
  return Satisfiable(gang, policy) ? NoFit::kNow : NoFit::kNever;
}

MatchResult PlainNodeGraph::AllocateOrReserve(JobId job, const Gang& gang,
                                              Policy policy, Time now) {
  MatchResult result = Allocate(job, gang, policy, now);
  const auto* no_fit = std::get_if<NoFit>(&result);
  if (no_fit == nullptr || *no_fit == NoFit::kNever) return result;
  // Where others matter, it may help too that some of them come.
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
    if (auto nodes = Place(Least(start, gang.duration, now),
                           Around(start, gang.duration, now), gang, policy)) {
      return Book(job, gang, start, *std::move(nodes));
    }
  }
  return NoFit::kNoTime;
}

bool PlainNodeGraph::Satisfiable(const Gang& gang, Policy policy) const {
  return Place(Empty(), Nobody(), gang, policy).has_value();
}

int PlainNodeGraph::CountFits(const TaskGroup& group, Time duration, Time now,
                              int limit) const {
  Amounts free = Least(now, duration, now);
  Surroundings around = Around(now, duration, now);
  TaskGroup most = group;
  most.count = limit;
  return static_cast<int>(
      PlaceGroup(free, around, most, Order(Policy::kLonode)).size());
}

void PlainNodeGraph::Restore(
    JobId job, Time start, Time end, NodeIndex node,
    const std::vector<std::vector<std::int64_t>>& amounts, RulesId rules) {
  for (const auto& of_task : amounts) {
    tasks_.push_back(
        {job, next_position_[job]++, node, start, end, of_task, rules});
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
