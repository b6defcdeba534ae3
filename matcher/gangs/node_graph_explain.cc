#include <algorithm>
#include <array>
#include <utility>

#include "matcher/gangs/explanation.h"
#include "matcher/gangs/node_graph_state.h"

namespace fluxnetes::matcher {
namespace {

// The obstacles for one task on one node, in order.
class Obstacles {
 public:
  Obstacles(NodeGraph::State& state, const PlanBasis& basis,
            const TaskGroup& group)
      : state_(state),
        nodes_(state.nodes),
        basis_(basis),
        group_(group),
        rules_(group.rules == kNoRules ? nullptr : &nodes_.book()[group.rules]),
        least_(nodes_.resources()) {
    if (rules_ == nullptr) return;
    TaskBook& book = nodes_.book();
    starts_ = rules_->may_start &&
              std::ranges::all_of(rules_->needs, [&](TrackerId id) {
                return book.At(id).At(basis.present).total() == 0;
              });
  }

  using Key = std::pair<Obstacle, int>;
  // Valid until the next call.
  const std::vector<Key>& On(NodeIndex node) {
    std::vector<Key>& found = found_;
    found.clear();
    // Inlined, because this is asked of each node, and is nearly always false.
    const auto add = [&](bool excludes, Obstacle obstacle)
        __attribute__((always_inline)) {
      if (excludes) found.emplace_back(obstacle, -1);
    };
    add(!nodes_.TakesTasks(node), Obstacle::kClosed);
    add(group_.eligible != nullptr && !group_.eligible->Contains(node),
        Obstacle::kNotEligible);
    if (rules_ != nullptr) {
      NodeShapes::Shape& shape = nodes_.book().shapes()[rules_->shape];
      add(!shape.affine.Contains(node), Obstacle::kLabels);
      add(!shape.tolerated.Contains(node), Obstacle::kTaints);
    }
    add(!state_.plan.MayBeTogether(node), Obstacle::kTogether);
    add(NoSeats(node), Obstacle::kSeats);
    AddResources(node, found);
    add(NoPlaceInside(node), state_.interior.StructureOf(node) == nullptr
                                 ? Obstacle::kUnknownInside
                                 : Obstacle::kInside);
    add(NoDevicesOn(node), Obstacle::kDevices);
    if (rules_ == nullptr) return found;
    add(Blocked(node, true), Obstacle::kHostPorts);
    add(Lonely(node), Obstacle::kAffinity);
    add(Blocked(node, false), Obstacle::kAntiAffinity);
    add(TooMany(node), Obstacle::kSpread);
    return found;
  }

 private:
  void AddResources(NodeIndex node, std::vector<Key>& found) {
    const bool ahead = nodes_.StartsBefore(node, basis_.end);
    const bool takes = nodes_.TakesTasks(node);
    const Columns& now = nodes_.At(View::kNow);
    if (ahead) nodes_.Profile(node).Least(nodes_.now(), basis_.end, least_);
    for (std::size_t r = 0; r < group_.amounts.size(); ++r) {
      const std::int64_t free = ahead ? least_[r]
                                : takes
                                    ? now[r][node]
                                    : nodes_.FreeNow(node, static_cast<int>(r));
      if (group_.amounts[r] == 0 || group_.amounts[r] <= free) continue;
      found.emplace_back(Obstacle::kResource, static_cast<int>(r));
    }
  }

  bool NoSeats(NodeIndex node) {
    const int seats = nodes_.seats();
    const Seating& seating = state_.plan.seating();
    if (seats < 0 || seating.aside) return false;
    if (seating.whole_nodes)
      return !nodes_.IsLeftTo(seating.holder, node, nodes_.now(), basis_.end);
    if (!nodes_.StartsBefore(node, basis_.end))
      return nodes_.FreeNow(node, seats) < 1;
    nodes_.Profile(node).Least(nodes_.now(), basis_.end, least_);
    return least_[seats] < 1;
  }

  bool NoPlaceInside(NodeIndex node) {
    return group_.inside != kNoShape &&
           state_.interior.Fit(node, group_.inside, 1,
                               {basis_.from, basis_.end, nodes_.now()}) == 0;
  }

  bool NoDevicesOn(NodeIndex node) {
    if (group_.devices == kNoDevices) return false;
    const InsideWindow window{basis_.from, basis_.end, nodes_.now()};
    if (state_.devices.Fit(node, group_.devices, 1, window) == 0) return true;
    AlignedTasks& aligned = state_.plan.aligned();
    const AlignedTasks::Task task{group_.inside, group_.devices};
    return aligned.Binds(task) && !NoPlaceInside(node) &&
           !aligned.Next(node, task, &window, {});
  }

  bool Blocked(NodeIndex node, bool by_port) {
    return std::ranges::any_of(rules_->blocked_by, [&](TrackerId id) {
      Tracker& tracker = nodes_.book().At(id);
      return (tracker.kind == Tracker::Kind::kPort) == by_port &&
             tracker.At(basis_.blocking)
                 .nodes()
                 .Contains(node, nodes_.labels().Domain(tracker.key, node));
    });
  }

  bool Lonely(NodeIndex node) {
    return std::ranges::any_of(rules_->needs, [&](TrackerId id) {
      Tracker& tracker = nodes_.book().At(id);
      const DomainId domain = nodes_.labels().Domain(tracker.key, node);
      return domain < 0 ||
             (!starts_ &&
              !tracker.At(basis_.present).nodes().Contains(node, domain));
    });
  }

  bool TooMany(NodeIndex node) {
    return std::ranges::any_of(rules_->spreads, [&](SpreadId id) {
      Spread& spread = nodes_.book().SpreadAt(id);
      const DomainId domain = nodes_.labels().Domain(spread.key, node);
      return domain < 0 ||
             spread.At(basis_.present).over().Contains(node, domain);
    });
  }

  NodeGraph::State& state_;
  NodeColumns& nodes_;
  const PlanBasis& basis_;
  const TaskGroup& group_;
  const BookedRules* rules_;
  bool starts_ = false;
  std::vector<std::int64_t> least_;
  std::vector<Key> found_;
};

GroupExplanation ExplainGroup(NodeGraph::State& state, const PlanBasis& basis,
                              const TaskGroup& group) {
  GroupExplanation explanation;
  Obstacles obstacles(state, basis, group);
  // By obstacle and resource; most obstacles have resource -1.
  constexpr int kObstacles = static_cast<int>(Obstacle::kSpread) + 1;
  const int kinds = state.nodes.resources() + 1;
  std::vector<Exclusion> exclusions(kObstacles * kinds);
  for (NodeIndex node = 0; node < state.nodes.size(); ++node) {
    if (!state.nodes.Present(node) || state.nodes.IsPool(node)) continue;
    const auto& found = obstacles.On(node);
    if (found.empty()) ++explanation.open_to_one;
    for (const auto& key : found) {
      Exclusion& exclusion =
          exclusions[static_cast<int>(key.first) * kinds + key.second + 1];
      exclusion.obstacle = key.first;
      exclusion.resource = key.second;
      ++exclusion.all;
      if (key == found.front()) ++exclusion.first;
      if (found.size() == 1) ++exclusion.alone;
    }
  }
  for (const Exclusion& exclusion : exclusions)
    if (exclusion.all > 0) explanation.exclusions.push_back(exclusion);
  return explanation;
}

}  // namespace

Explanation NodeGraph::Explain(const Gang& gang, Policy policy,
                               Time now) const {
  State& state = *state_;
  Explanation explanation;
  state.PlaceNow(0, gang, policy, now);
  const PlanBasis basis = state.BasisNow(gang.duration, policy);
  const std::vector<int> most = state.plan.CountMost(basis);
  explanation.values = state.plan.found();
  state.plan.CountAhead(basis);
  for (std::size_t g = 0; g < gang.groups.size(); ++g) {
    explanation.groups.push_back(ExplainGroup(state, basis, gang.groups[g]));
    explanation.groups.back().fit = most[g];
    explanation.fit += most[g];
  }
  state.plan.TakeBack();
  return explanation;
}

}  // namespace fluxnetes::matcher
