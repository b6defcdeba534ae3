#include <algorithm>
#include <map>
#include <numeric>

#include "tests/matcher/plain/plain_node_graph.h"

namespace fluxnetes::matcher {

std::int64_t PlainNodeGraph::AmountOf(const TaskGroup& group, int resource) {
  return resource < static_cast<int>(group.amounts.size())
             ? group.amounts[resource]
             : 0;
}

bool PlainNodeGraph::HasRoom(const Amounts& free, NodeIndex node,
                             const TaskGroup& group) const {
  if (!nodes_[node].present || !nodes_[node].open) return false;
  if (barred_[node]) return false;
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

// Moves groups with an affinity that they do not meet themselves to the end.
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
    Amounts& free, PlacedRules& around, const TaskGroup& group,
    const std::vector<NodeIndex>& among) const {
  if (ScoresTasks(policy_)) return FillByScore(free, around, group, among);
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

// A series that does not fit in the domain of its first task tries the next
// domain. If it fits in none, the first attempt that placed the most counts.
std::vector<NodeIndex> PlainNodeGraph::PlaceGroup(
    Amounts& free, PlacedRules& around, const TaskGroup& group,
    const std::vector<NodeIndex>& among) const {
  const TaskRules* rules = RulesOf(group.rules);
  if (rules == nullptr || !StartsSeries(around, *rules)) {
    return Fill(free, around, group, among);
  }
  const std::string& key = rules->affinity[0].topology_key;
  std::vector<NodeIndex> left = among;
  std::vector<NodeIndex> most;
  Amounts free_then = free;
  PlacedRules around_then = around;
  for (;;) {
    Amounts free_here = free;
    PlacedRules around_here = around;
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
    Amounts free, PlacedRules around, const Gang& gang,
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
    const Amounts& free, const PlacedRules& around, const Gang& gang,
    const std::vector<NodeIndex>& among) const {
  std::vector<int> given(gang.groups.size());
  std::iota(given.begin(), given.end(), 0);
  FollowersLast(gang, given);
  if (auto nodes = PlaceIn(free, around, gang, among, given)) return nodes;
  return PlaceIn(free, around, gang, among, HardestFirst(gang));
}

bool PlainNodeGraph::Counts(const PlacedRules& around, const Gang& gang,
                            const std::string& key, NodeIndex node) const {
  const auto domain = DomainOf(around, node, key);
  return domain &&
         (gang.beside.empty() ||
          std::any_of(gang.beside.begin(), gang.beside.end(), [&](auto other) {
            return DomainOf(around, other, key) == domain;
          }));
}

PlainNodeGraph::Placed PlainNodeGraph::PlaceTogether(
    const Amounts& free, const PlacedRules& around, const Gang& gang,
    const std::vector<NodeIndex>& among, const std::string& key) const {
  std::map<std::string, std::vector<NodeIndex>> domains;
  for (const NodeIndex node : among) {
    if (!Counts(around, gang, key, node)) continue;
    domains[*DomainOf(around, node, key)].push_back(node);
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
    std::map<std::string, std::vector<NodeIndex>> parts;
    if (!gang.together_required) parts[""] = domains[name];
    for (const NodeIndex node : domains[name]) {
      const std::string& outer = gang.together.back();
      if (gang.together_required && Counts(around, gang, outer, node))
        parts[*DomainOf(around, node, outer)].push_back(node);
    }
    for (const auto& [value, part] : parts) {
      if (auto nodes = PlaceAmong(free, around, gang, part)) return nodes;
    }
  }
  return {};
}

PlainNodeGraph::Placed PlainNodeGraph::Place(const Amounts& free,
                                             const PlacedRules& around,
                                             const Gang& gang,
                                             Policy policy) const {
  policy_ = policy;
  const std::vector<NodeIndex> all = Order(policy);
  for (const std::string& key : gang.together) {
    if (auto nodes = PlaceTogether(free, around, gang, all, key)) return nodes;
  }
  if (!gang.together.empty() && gang.together_required) return {};
  return PlaceAmong(free, around, gang, all);
}

}  // namespace fluxnetes::matcher
