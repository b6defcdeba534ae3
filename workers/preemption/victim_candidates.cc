#include "workers/preemption/victim_candidates.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "workers/accounts/task_room.h"
#include "workers/pending/schedule_queues.h"

namespace fluxnetes::workers {
namespace {

using matcher::NodeIndex;

std::set<GroupId> LentFrom(const Quotas& quotas, const WaitingGroup& group,
                           Preemption preemption) {
  const PendingLine& line = *group.line;
  if (!TakesBack(preemption) || !line.payer || !quotas.HasAny()) return {};
  std::set<GroupId> lent = quotas.LentFrom(*line.payer, line.amounts);
  if (!StaysWithinQuota(quotas, group, {lent.begin(), lent.end()}))
    lent.clear();
  return lent;
}

void AddPools(ScheduleGraph& graph, const matcher::Gang& gang, const Held& held,
              VictimCandidate& candidate) {
  for (const matcher::PoolNeed& held_of : graph.NeedsOf(held.pools)) {
    if (std::ranges::find(gang.pools, held_of.pool, &matcher::PoolNeed::pool) ==
        gang.pools.end())
      continue;
    Amounts& amounts = candidate.holds[held_of.pool];
    amounts.resize(graph.graph().resources().size());
    amounts[graph.graph().ResourceOfPool(held_of.pool)] = held_of.amount;
  }
}

void AddHoldings(ScheduleGraph& graph, const matcher::Gang& gang,
                 const Held& held, VictimCandidate& candidate) {
  for (const PlacedMember& member : held.members) {
    if (member.uid.empty()) continue;
    const NodeIndex node = graph.IndexOfNode(member.node);
    if (MayGo(graph, gang, node))
      AddHeld(candidate.holds[node], graph.HeldOfNode(member));
  }
  AddPools(graph, gang, held, candidate);
}

}  // namespace

bool MayGo(const ScheduleGraph& graph, const matcher::Gang& gang,
           NodeIndex node) {
  return graph.Open(node) &&
         std::ranges::any_of(gang.groups, [&](const auto& task) {
           return graph.MayUse(task, node);
         });
}

bool StaysWithinQuota(const Quotas& quotas, const WaitingGroup& group,
                      const std::vector<GroupId>& without) {
  const PendingLine& line = *group.line;
  return quotas.StaysWithin(*line.payer, line.amounts, without);
}

std::vector<VictimCandidate> GatherCandidates(ScheduleGraph& graph,
                                              const Quotas& quotas,
                                              const WaitingGroup& group,
                                              const matcher::Gang& gang,
                                              Lack lack, Preemption preemption,
                                              matcher::Time now) {
  const std::set<GroupId> lent = LentFrom(quotas, group, preemption);
  std::set<const Held*> all;
  for (const GroupId each : lent) {
    if (const Held* held = graph.holdings().HeldBy(each)) all.insert(held);
  }
  if (lack == Lack::kRoom) {
    const std::int64_t grown = std::int64_t{kGrowthPriority} + 1;
    const std::int64_t below =
        EvictsLower(preemption) ? std::max<std::int64_t>(group.priority, grown)
                                : grown;
    for (const GroupId each : graph.evictions().Below(below))
      all.insert(graph.holdings().HeldBy(each));
  }
  std::vector<VictimCandidate> candidates;
  for (const Held* held : all) {
    if (!MayBeVictim(*held, group, preemption, lent.contains(held->group)))
      continue;
    VictimCandidate candidate{held->group,
                              held->priority,
                              held->start,
                              held->end,
                              now + std::max<matcher::Time>(held->grace, 1),
                              !MayBeVictim(*held, group, preemption, false),
                              {},
                              false};
    if ((held->end && *held->end <= candidate.evicted_end) ||
        (group.start_by && *group.start_by <= candidate.evicted_end)) {
      graph.evictions().NoteSpared(held->group);
      continue;
    }
    AddHoldings(graph, gang, *held, candidate);
    if (lack == Lack::kQuota || !candidate.holds.empty())
      candidates.push_back(std::move(candidate));
  }
  std::ranges::sort(candidates, [](const auto& a, const auto& b) {
    return std::tuple(a.priority, -a.start, -a.group) <
           std::tuple(b.priority, -b.start, -b.group);
  });
  return candidates;
}

}  // namespace fluxnetes::workers
