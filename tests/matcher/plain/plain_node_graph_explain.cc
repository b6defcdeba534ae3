#include <map>

#include "tests/matcher/plain/plain_node_graph.h"

namespace fluxnetes::matcher {

GroupExplanation PlainNodeGraph::ExplainGroup(const Gang& gang,
                                              const TaskGroup& group,
                                              Time now) const {
  const PlacedRules around = Around(now, gang.duration, now);
  const Amounts free = Least(now, gang.duration, now);
  const TaskRules* rules = RulesOf(group.rules);
  std::map<std::pair<Obstacle, int>, Exclusion> exclusions;
  GroupExplanation explanation;
  for (NodeIndex n = 0; n < static_cast<NodeIndex>(nodes_.size()); ++n) {
    if (!nodes_[n].present) continue;
    std::vector<std::pair<Obstacle, int>> found;
    const auto add = [&](Obstacle obstacle, bool excludes, int resource = -1) {
      if (excludes) found.emplace_back(obstacle, resource);
    };
    add(Obstacle::kClosed, !nodes_[n].open);
    add(Obstacle::kNotEligible,
        group.eligible != nullptr && !group.eligible->Contains(n));
    if (rules != nullptr) {
      add(Obstacle::kLabels, !Affine(labelled_[n], rules->node));
      add(Obstacle::kTaints, !Tolerated(labelled_[n], rules->node));
    }
    add(Obstacle::kTogether,
        gang.together_required && !gang.together.empty() &&
            !Counts(around, gang, gang.together.back(), n));
    add(Obstacle::kSeats,
        IsBarred(n, SeatingOf(gang), now, EndOf(now, gang.duration), now));
    for (int r = 0; r < resources_; ++r) {
      const std::int64_t amount = AmountOf(group, r);
      add(Obstacle::kResource, amount > 0 && amount > free[n][r], r);
    }
    if (rules != nullptr) {
      add(Obstacle::kHostPorts, PortsInUse(around, n, *rules));
      add(Obstacle::kAffinity, !HasWhatItNeeds(around, n, *rules));
      add(Obstacle::kAntiAffinity, KeptApart(around, n, *rules));
      add(Obstacle::kSpread, BreaksAnySpread(around, n, *rules));
    }
    if (found.empty()) ++explanation.open_to_one;
    for (std::size_t i = 0; i < found.size(); ++i) {
      Exclusion& exclusion = exclusions[found[i]];
      exclusion.obstacle = found[i].first;
      exclusion.resource = found[i].second;
      ++exclusion.all;
      if (i == 0) ++exclusion.first;
      if (found.size() == 1) ++exclusion.alone;
    }
  }
  for (const auto& [key, each] : exclusions) {
    explanation.exclusions.push_back(each);
  }
  return explanation;
}

Explanation PlainNodeGraph::Explain(const Gang& gang, Policy policy, Time now) {
  if (const auto whole = Whole(gang, policy))
    return Explain(*whole, policy, now);
  Explanation explanation;
  most_sum_ = -1;
  most_.assign(gang.groups.size(), 0);
  Bar(SeatingOf(gang), now, EndOf(now, gang.duration), now);
  (void)Place(Least(now, gang.duration, now), Around(now, gang.duration, now),
              gang, policy);
  for (std::size_t g = 0; g < gang.groups.size(); ++g) {
    explanation.groups.push_back(ExplainGroup(gang, gang.groups[g], now));
    explanation.groups.back().fit = most_[g];
    explanation.fit += most_[g];
  }
  return explanation;
}

}  // namespace fluxnetes::matcher
