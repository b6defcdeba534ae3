#include <algorithm>
#include <limits>

#include "tests/matcher/plain/plain_node_graph.h"

namespace fluxnetes::matcher {
namespace {

struct Slot {
  NodeIndex node = 0;
  std::int64_t cost = 0;  // the least comes first
};

}  // namespace

bool PlainNodeGraph::ScoresTasks(Policy policy) {
  return policy.score != Policy::Score::kId ||
         (!policy.node_centric && !policy.stop_on_match);
}

// Returns the node of each task for which these have room, best first. The
// score of a task is the sum of the ids of its units.
std::vector<NodeIndex> PlainNodeGraph::Slots(
    const Amounts& free, const TaskGroup& group,
    const std::vector<NodeIndex>& among) const {
  std::vector<Slot> slots;
  for (const NodeIndex node : among) {
    Amounts left = free;
    for (int task = 0; task < group.count + 50; ++task) {
      if (!HasRoom(left, node, group)) break;
      Slot slot{node, 0};
      for (int r = 0; r < resources_; ++r) {
        const std::int64_t amount = AmountOf(group, r);
        for (std::int64_t unit = 0; unit < amount; ++unit) {
          if (policy_.score == Policy::Score::kId && !policy_.descending)
            slot.cost += nodes_[node].totals[r] - left[node][r] + unit;
          else
            slot.cost -= left[node][r] - 1 - unit;
        }
        left[node][r] -= amount;
      }
      if (policy_.score == Policy::Score::kVariation)
        slot.cost = nodes_[node].performance_class;
      slots.push_back(slot);
    }
  }
  if (policy_.score == Policy::Score::kLocality) {
    std::vector<std::int64_t> costs;
    for (const Slot& slot : slots) costs.push_back(slot.cost);
    std::sort(costs.begin(), costs.end());
    for (Slot& slot : slots) {
      while (std::binary_search(costs.begin(), costs.end(), slot.cost - 1))
        --slot.cost;
    }
  }
  std::stable_sort(
      slots.begin(), slots.end(),
      [](const Slot& a, const Slot& b) { return a.cost < b.cost; });
  std::vector<NodeIndex> nodes;
  for (const Slot& slot : slots) nodes.push_back(slot.node);
  return nodes;
}

std::vector<NodeIndex> PlainNodeGraph::FillByScore(
    Amounts& free, PlacedRules& around, const TaskGroup& group,
    const std::vector<NodeIndex>& among) const {
  const TaskRules* rules = RulesOf(group.rules);
  std::vector<NodeIndex> placed;
  const auto count = static_cast<std::size_t>(group.count);
  while (placed.size() < count) {
    std::vector<NodeIndex> best;
    int most = std::numeric_limits<int>::min();
    for (const NodeIndex node : among) {
      if (!HasRoom(free, node, group)) continue;
      if (rules != nullptr && !Admits(around, node, *rules)) continue;
      const int points = rules == nullptr ? 0 : Points(around, node, *rules);
      if (!best.empty() && points < most) continue;
      if (points > most) best.clear();
      most = points;
      best.push_back(node);
    }
    std::vector<NodeIndex> slots = Slots(free, group, best);
    if (slots.empty()) break;
    slots.resize(
        std::min(slots.size(), rules == nullptr ? count - placed.size() : 1));
    for (const NodeIndex node : slots) {
      for (int r = 0; r < resources_; ++r) free[node][r] -= AmountOf(group, r);
      around.present.push_back({node, rules});
      around.blocking.push_back({node, rules});
      placed.push_back(node);
    }
  }
  return placed;
}

}  // namespace fluxnetes::matcher
