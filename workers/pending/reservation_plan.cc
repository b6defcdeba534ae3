#include "workers/pending/reservation_plan.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "matcher/inside/node_interior.h"
#include "matcher/nodes/policy_order.h"

namespace fluxnetes::workers {
namespace {

using matcher::NodeIndex;
using Nodes = std::vector<NodeIndex>;

constexpr matcher::JobId kTrial = std::numeric_limits<matcher::JobId>::min();

bool Among(const Nodes& nodes, NodeIndex node) {
  return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

bool MayUse(const ScheduleGraph& graph, const matcher::Gang& gang,
            NodeIndex node) {
  return std::any_of(
      gang.groups.begin(), gang.groups.end(),
      [&](const auto& group) { return graph.MayUse(group, node); });
}

// Whether the gang would not fit even if it needed nothing, because of where
// other pods are or are not. Keeping nodes empty does not help it then.
bool WaitsForOthers(ScheduleGraph& graph, const matcher::Gang& gang,
                    matcher::Policy policy, matcher::Time now) {
  matcher::Gang light = gang;
  light.pools.clear();
  bool looks = false;
  for (matcher::TaskGroup& group : light.groups) {
    group.amounts.clear();
    group.inside = matcher::kNoShape;
    looks = looks || graph.graph().LooksAtTasks(group.rules);
  }
  if (!looks) return false;
  const auto match = graph.graph().Allocate(kTrial, light, policy, now);
  graph.graph().Cancel(kTrial);
  return !std::holds_alternative<matcher::Placement>(match);
}

bool WouldHold(ScheduleGraph& graph, const matcher::Gang& gang,
               matcher::Policy policy, const Nodes& nodes) {
  // Only pools are kept: its nodes are free anyway.
  if (!nodes.empty() && std::ranges::all_of(nodes, [&](NodeIndex node) {
        return graph.IsPool(node);
      }))
    return graph.graph().Satisfiable(gang, policy);
  const NarrowedGang narrowed(NarrowedGang::On(gang, nodes));
  return graph.graph().Satisfiable(narrowed.gang(), policy);
}

bool StillGood(ScheduleGraph& graph, const matcher::Gang& gang,
               matcher::Policy policy, const Ahead& ahead, const Nodes& nodes) {
  return std::all_of(
             nodes.begin(), nodes.end(),
             [&](NodeIndex node) {
               return graph.MayBeKept(node) && !Among(ahead.drained, node) &&
                      (graph.IsPool(node) || !Among(ahead.reserved, node));
             }) &&
         WouldHold(graph, gang, policy, nodes);
}

// Whether the start of a reservation has come and only groups that should have
// ended hold its nodes.
bool Overstayed(ScheduleGraph& graph, const matcher::Gang& gang,
                matcher::Policy policy, matcher::Time now,
                const ReservedNodes& reserved) {
  if (!reserved.start || *reserved.start > now ||
      !graph.AnyOverdue(reserved.nodes, now)) {
    return false;
  }
  const NarrowedGang narrowed(NarrowedGang::On(gang, reserved.nodes));
  const auto match =
      graph.graph().AllocateOrReserve(kTrial, narrowed.gang(), policy, now);
  graph.graph().Cancel(kTrial);
  const auto* placement = std::get_if<matcher::Placement>(&match);
  return placement != nullptr && placement->start <= now + 1;
}

double Share(double part, double whole) {
  if (part <= 0) return 0;
  return whole <= 0 ? 1 : part / whole;
}

// Sorts nodes in the order in which they are drained: see schedule.h.
class DrainOrder {
 public:
  DrainOrder(ScheduleGraph& graph, matcher::Time now)
      : graph_(graph), now_(now), without_end_(graph.HeldWithoutEnd()) {}

  Nodes Sort(const Nodes& nodes, matcher::Policy policy) {
    using Key = std::tuple<double, double, std::int64_t, std::int64_t>;
    std::vector<std::pair<Key, NodeIndex>> keyed;
    std::int64_t rank = 0;
    const matcher::PolicyOrder order(policy);
    const bool by_class = order.score == matcher::PolicyOrder::Score::kClass;
    for (const NodeIndex node : nodes) {
      const auto [endless, held] = Held(node);
      const std::int64_t of_class =
          by_class ? graph_.PerformanceClass(node) : 0;
      const std::int64_t place = order.by_id ? graph_.LogicalId(node) : rank++;
      keyed.push_back(
          {{endless, held, of_class, order.descending ? -place : place}, node});
    }
    std::sort(keyed.begin(), keyed.end());
    Nodes sorted;
    for (const auto& [key, node] : keyed) sorted.push_back(node);
    return sorted;
  }

 private:
  // The largest share of a resource that groups without an end hold, and the
  // largest that all groups hold.
  std::pair<double, double> Held(NodeIndex node) {
    const std::vector<std::int64_t> free = graph_.graph().Free(node, now_);
    const std::vector<std::int64_t> most = graph_.WithoutHeld(node);
    const auto endless = without_end_.find(node);
    double endless_share = 0;
    double held_share = 0;
    for (std::size_t r = 0; r < most.size(); ++r) {
      const auto whole = static_cast<double>(most[r]);
      held_share = std::max(held_share,
                            Share(whole - static_cast<double>(free[r]), whole));
      if (endless == without_end_.end() || r >= endless->second.size()) {
        continue;
      }
      endless_share = std::max(endless_share, Share(endless->second[r], whole));
    }
    return {endless_share, held_share};
  }

  ScheduleGraph& graph_;
  matcher::Time now_;
  std::map<NodeIndex, std::vector<double>> without_end_;
};

Nodes Prefix(const Nodes& nodes, std::size_t size) {
  return {nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(size)};
}

Nodes Smallest(ScheduleGraph& graph, const matcher::Gang& gang,
               matcher::Policy policy, const Nodes& sorted) {
  std::size_t too_few = 0;
  std::size_t enough = sorted.size();
  while (too_few + 1 < enough) {
    const std::size_t middle = (too_few + enough) / 2;
    (WouldHold(graph, gang, policy, Prefix(sorted, middle)) ? enough
                                                            : too_few) = middle;
  }
  Nodes chosen = Prefix(sorted, enough);
  for (std::size_t i = chosen.size() - 1; i-- > 0;) {
    Nodes fewer = chosen;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (WouldHold(graph, gang, policy, fewer)) chosen = std::move(fewer);
  }
  return chosen;
}

// Whether the gang would fit now if it needed no pool.
bool OnlyPoolsLack(ScheduleGraph& graph, const matcher::Gang& gang,
                   matcher::Policy policy, matcher::Time now,
                   const Ahead& ahead) {
  if (gang.pools.empty()) return false;
  matcher::Gang alone = gang;
  alone.pools.clear();
  const NarrowedGang narrowed = NarrowedGang::Without(alone, ahead.drained);
  const bool fits = graph.graph()
                        .TryAllocate(kTrial, narrowed.gang(), policy, now)
                        .has_value();
  graph.graph().Cancel(kTrial);
  return fits;
}

std::optional<ReservedNodes> ChooseDrain(ScheduleGraph& graph,
                                         const matcher::Gang& gang,
                                         matcher::Policy policy,
                                         matcher::Time now,
                                         const Ahead& ahead) {
  if (std::ranges::any_of(gang.pools, [&](const matcher::PoolNeed& need) {
        return Among(ahead.drained, need.pool);
      }))
    return std::nullopt;
  if (OnlyPoolsLack(graph, gang, policy, now, ahead))
    return ReservedNodes{{}, WithPools({}, gang), {}, false};
  Nodes kept = ahead.drained;
  kept.insert(kept.end(), ahead.reserved.begin(), ahead.reserved.end());
  std::sort(kept.begin(), kept.end());
  Nodes nodes;
  for (const NodeIndex node : graph.KnownNodes()) {
    if (graph.MayBeKept(node) && MayUse(graph, gang, node) &&
        !std::binary_search(kept.begin(), kept.end(), node)) {
      nodes.push_back(node);
    }
  }
  if (nodes.empty() || !WouldHold(graph, gang, policy, nodes)) {
    return std::nullopt;
  }
  const Nodes sorted = DrainOrder(graph, now).Sort(nodes, policy);
  ReservedNodes reserved;
  reserved.nodes = WithPools(Smallest(graph, gang, policy, sorted), gang);
  return reserved;
}

ReservationPlan FromPlacement(ScheduleGraph& graph, const WaitingGroup& group,
                              matcher::Placement placement, matcher::Time now,
                              matcher::Shortfall shortfall = {}) {
  if (placement.start > now) {
    return {ReservedFrom(std::move(placement), group.line->gang), false,
            std::move(shortfall)};
  }
  graph.graph().Cancel(ReservationJob(group.id));
  return {std::nullopt, true};
}

std::vector<std::vector<std::int64_t>> AmountsOf(const matcher::Gang& gang) {
  std::vector<std::vector<std::int64_t>> amounts;
  for (const auto& task : gang.groups)
    amounts.insert(amounts.end(), task.count, task.amounts);
  return amounts;
}

bool AsksInside(const ScheduleGraph& graph, const matcher::Gang& gang) {
  const matcher::NodeInterior& interior = graph.graph().interior();
  return std::ranges::any_of(gang.groups, [&](const auto& task) {
    return task.inside != matcher::kNoShape && interior.Counts(task.inside);
  });
}

// Whether the places of a reservation are free at its start. The tasks of the
// gang look at no other pods.
bool CanKeep(ScheduleGraph& graph, const matcher::Gang& gang,
             const ReservedNodes& reserved, matcher::Time now) {
  if (AsksInside(graph, gang) && reserved.parts.empty()) return false;
  const bool devices =
      std::ranges::any_of(gang.groups, [](const matcher::TaskGroup& task) {
        return task.devices != matcher::kNoDevices;
      });
  if (devices && reserved.devices.empty()) return false;
  std::size_t position = 0;
  for (const auto& task : gang.groups) {
    for (int i = 0; i < task.count; ++i)
      if (!graph.MayUse(task, reserved.places[position++])) return false;
  }
  return graph.graph().HasRoom(
      *reserved.start, matcher::EndOf(*reserved.start, gang.duration),
      reserved.places, AmountsOf(gang), now, matcher::SeatingOf(gang),
      reserved.parts, gang.pools, reserved.devices);
}

}  // namespace

NarrowedGang::NarrowedGang(const matcher::Gang& gang)
    : gang_(gang), sets_(gang.groups.size()) {}

void NarrowedGang::Point() {
  for (std::size_t g = 0; g < sets_.size(); ++g) {
    gang_.groups[g].eligible = &sets_[g];
  }
}

NarrowedGang NarrowedGang::Without(const matcher::Gang& gang,
                                   const Nodes& nodes) {
  NarrowedGang narrowed(gang);
  for (std::size_t g = 0; g < gang.groups.size(); ++g) {
    narrowed.sets_[g] = *gang.groups[g].eligible;
    for (const NodeIndex node : nodes) narrowed.sets_[g].Erase(node);
  }
  for (matcher::PoolNeed& need : narrowed.gang_.pools)
    need.kept = need.kept || Among(nodes, need.pool);
  narrowed.Point();
  return narrowed;
}

NarrowedGang NarrowedGang::On(const matcher::Gang& gang, const Nodes& nodes) {
  NarrowedGang narrowed(gang);
  for (std::size_t g = 0; g < gang.groups.size(); ++g) {
    for (const NodeIndex node : nodes) {
      if (gang.groups[g].eligible->Contains(node)) {
        narrowed.sets_[g].Insert(node);
      }
    }
  }
  narrowed.Point();
  return narrowed;
}

ReservationPlan PlanReservation(ScheduleGraph& graph, const WaitingGroup& group,
                                matcher::Policy policy, matcher::Time now,
                                const Ahead& ahead,
                                const std::optional<ReservedNodes>& before,
                                bool may_drain) {
  const matcher::Gang& gang = group.line->gang;
  if (before &&
      (before->overdue || Overstayed(graph, gang, policy, now, *before)) &&
      StillGood(graph, gang, policy, ahead, before->nodes)) {
    // Those groups may have ended by now, or others elsewhere.
    ReservationPlan at_once =
        PlanEarlier(graph, group, policy, now, ahead, now + 1);
    if (at_once.fits_now) return at_once;
    if (graph.AnyOverdue(before->nodes, now))
      return {ReservedNodes{{}, before->nodes, {}, true}};
  }
  const NarrowedGang narrowed = NarrowedGang::Without(gang, ahead.drained);
  matcher::Shortfall shortfall;
  const auto match = graph.graph().AllocateOrReserve(
      ReservationJob(group.id), narrowed.gang(), policy, now, matcher::kForever,
      &shortfall);
  if (const auto* placement = std::get_if<matcher::Placement>(&match))
    return FromPlacement(graph, group, *placement, now, std::move(shortfall));
  if (std::get<matcher::NoFit>(match) != matcher::NoFit::kNoTime) return {};
  if (!may_drain || WaitsForOthers(graph, gang, policy, now)) return {};
  if (before && !before->start &&
      StillGood(graph, gang, policy, ahead, before->nodes)) {
    return {before};
  }
  return {ChooseDrain(graph, gang, policy, now, ahead)};
}

ReservationPlan PlanEarlier(ScheduleGraph& graph, const WaitingGroup& group,
                            matcher::Policy policy, matcher::Time now,
                            const Ahead& ahead, matcher::Time before) {
  const NarrowedGang narrowed =
      NarrowedGang::Without(group.line->gang, ahead.drained);
  matcher::Shortfall shortfall;
  const auto match =
      graph.graph().AllocateOrReserve(ReservationJob(group.id), narrowed.gang(),
                                      policy, now, before, &shortfall);
  if (const auto* placement = std::get_if<matcher::Placement>(&match))
    return FromPlacement(graph, group, *placement, now, std::move(shortfall));
  return {std::nullopt, false, std::move(shortfall)};
}

ReservationPlan MoveEarlier(ScheduleGraph& graph, const WaitingGroup& group,
                            matcher::Policy policy, matcher::Time now,
                            const Ahead& ahead, const ReservedNodes& before) {
  const auto move = [&](const matcher::Gang& gang) {
    ReservationPlan plan;
    const auto moved = graph.graph().MoveEarlier(ReservationJob(group.id), gang,
                                                 {*before.start, before.places},
                                                 policy, now, plan.shortfall);
    plan.fits_now = moved && moved->start == now;
    if (moved && !plan.fits_now) plan.reserved = ReservedFrom(*moved, gang);
    return plan;
  };
  if (ahead.drained.empty()) return move(group.line->gang);
  return move(NarrowedGang::Without(group.line->gang, ahead.drained).gang());
}

bool LooksAtOthers(const ScheduleGraph& graph, const matcher::Gang& gang) {
  return std::ranges::any_of(gang.groups, [&](const auto& task) {
    return graph.graph().LooksAtTasks(task.rules);
  });
}

std::optional<ReservedNodes> PlanFrom(ScheduleGraph& graph,
                                      const WaitingGroup& group,
                                      matcher::Policy policy, matcher::Time now,
                                      const Ahead& ahead, matcher::Time from) {
  const NarrowedGang narrowed =
      NarrowedGang::Without(group.line->gang, ahead.drained);
  const auto match = graph.graph().AllocateOrReserve(
      ReservationJob(group.id), narrowed.gang(), policy, now);
  const auto* placement = std::get_if<matcher::Placement>(&match);
  if (placement == nullptr) return std::nullopt;
  ReservedNodes reserved = ReservedFrom(*placement, group.line->gang);
  if (placement->start >= from) return reserved;
  reserved.start = from;
  graph.graph().Cancel(ReservationJob(group.id));
  if (!CanKeep(graph, group.line->gang, reserved, now)) return std::nullopt;
  BookNodes(graph, group, reserved);
  return reserved;
}

bool HasItsPlaces(const ScheduleGraph& graph, const WaitingGroup& group,
                  const ReservedNodes& reserved) {
  return !reserved.places.empty() && !LooksAtOthers(graph, group.line->gang);
}

bool Rebook(ScheduleGraph& graph, const WaitingGroup& group,
            matcher::Policy policy, matcher::Time now,
            std::optional<ReservedNodes>& reserved) {
  if (!reserved || !reserved->start || *reserved->start <= now) return false;
  const matcher::Gang& gang = group.line->gang;
  if (HasItsPlaces(graph, group, *reserved)) {
    if (!CanKeep(graph, gang, *reserved, now)) return false;
    BookNodes(graph, group, *reserved);
    return true;
  }
  const NarrowedGang narrowed = NarrowedGang::On(gang, reserved->nodes);
  const auto match =
      graph.graph().AllocateOrReserve(ReservationJob(group.id), narrowed.gang(),
                                      policy, now, *reserved->start + 1);
  const auto* placement = std::get_if<matcher::Placement>(&match);
  if (placement == nullptr) return false;
  const ReservationPlan plan = FromPlacement(graph, group, *placement, now);
  if (plan.reserved) reserved = plan.reserved;
  return plan.reserved.has_value();
}

void BookNodes(ScheduleGraph& graph, const WaitingGroup& group,
               const ReservedNodes& reserved) {
  const matcher::Gang& gang = group.line->gang;
  std::vector<matcher::RulesId> rules;
  for (const auto& task : gang.groups)
    rules.insert(rules.end(), task.count, task.rules);
  graph.graph().Restore(ReservationJob(group.id), *reserved.start,
                        matcher::EndOf(*reserved.start, gang.duration),
                        reserved.places, AmountsOf(gang), rules,
                        matcher::SeatingOf(gang), reserved.parts, gang.pools,
                        {}, reserved.devices);
}

}  // namespace fluxnetes::workers
