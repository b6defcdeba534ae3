#include "workers/preemption/room_of_victims.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "workers/accounts/task_room.h"

namespace fluxnetes::workers {

using matcher::NodeIndex;

RoomOfVictims::RoomOfVictims(ScheduleGraph& graph, const matcher::Gang& gang,
                             const std::vector<VictimCandidate>& candidates,
                             matcher::Time now)
    : graph_(graph), gang_(gang), candidates_(candidates), now_(now) {}

void RoomOfVictims::Count() {
  if (!fits_.empty()) return;
  fits_.assign(gang_.groups.size(), 0);
  for (const NodeIndex node : graph_.KnownNodes()) {
    if (!MayGo(graph_, gang_, node)) continue;
    const Amounts& room = room_[node] = graph_.graph().Free(node, now_);
    auto& fits_on = fits_on_[node];
    for (std::size_t g = 0; g < fits_.size(); ++g) {
      fits_on.push_back(TasksOn(node, room, gang_.groups[g], {}));
      fits_[g] += fits_on.back();
    }
  }
}

std::int64_t RoomOfVictims::TasksOn(
    NodeIndex node, const Amounts& free, const matcher::TaskGroup& task,
    const std::vector<matcher::JobId>& without) {
  if (!graph_.MayUse(task, node)) return 0;
  const std::int64_t tasks = TasksIn(free, task);
  if (tasks == 0 || task.inside == matcher::kNoShape) return tasks;
  return graph_.graph().FitInside(node, task.inside, static_cast<int>(tasks),
                                  now_, without);
}

bool RoomOfVictims::MayBeEnough(const Positions& victims) {
  Count();
  std::vector<std::int64_t> fits = fits_;
  std::map<NodeIndex, Left> left;
  for (const std::size_t victim : victims) {
    for (const auto& [node, amounts] : candidates_[victim].holds) {
      AddHeld(left[node].amounts, amounts);
      left[node].victims.push_back(candidates_[victim].group);
    }
  }
  if (!PoolsAreEnough(left)) return false;
  for (auto& [node, of_node] : left) {
    if (graph_.IsPool(node)) continue;
    AddHeld(of_node.amounts, room_.at(node));
    const auto& before = fits_on_.at(node);
    for (std::size_t g = 0; g < fits.size(); ++g)
      fits[g] +=
          TasksOn(node, of_node.amounts, gang_.groups[g], of_node.victims) -
          before[g];
  }
  for (std::size_t g = 0; g < fits.size(); ++g) {
    if (fits[g] < gang_.groups[g].count) return false;
  }
  return true;
}

bool RoomOfVictims::PoolsAreEnough(const std::map<NodeIndex, Left>& left) {
  return std::ranges::all_of(gang_.pools, [&](const auto& need) {
    const auto resource =
        static_cast<std::size_t>(graph_.graph().ResourceOfPool(need.pool));
    const auto by_victims = left.find(need.pool);
    const std::int64_t more =
        by_victims == left.end() ? 0 : by_victims->second.amounts[resource];
    return graph_.graph().Free(need.pool, now_)[resource] + more >= need.amount;
  });
}

double RoomOfVictims::GainOf(const VictimCandidate& candidate) {
  double gain = 0;
  for (const auto& [node, amounts] : candidate.holds) {
    if (graph_.IsPool(node)) {
      gain += PartOfPool(node, amounts);
      continue;
    }
    const Amounts& before = room_.at(node);
    Amounts after = amounts;
    AddHeld(after, before);
    for (std::size_t g = 0; g < gang_.groups.size(); ++g) {
      const matcher::TaskGroup& task = gang_.groups[g];
      if (!graph_.MayUse(task, node)) continue;
      gain += PartOf(after, task) - PartOf(before, task);
      if (task.inside == matcher::kNoShape) continue;
      // More than any amounts.
      const std::int64_t places =
          TasksOn(node, after, task, {candidate.group}) - fits_on_.at(node)[g];
      gain += static_cast<double>(places * task.count);
    }
  }
  return gain;
}

RoomOfVictims::Positions RoomOfVictims::Largest(std::size_t count) {
  Count();
  std::vector<double> gains;
  for (const VictimCandidate& candidate : candidates_)
    gains.push_back(GainOf(candidate));
  Positions largest(candidates_.size());
  std::iota(largest.begin(), largest.end(), 0);
  std::ranges::stable_sort(largest, std::greater(),
                           [&](std::size_t i) { return gains[i]; });
  if (largest.size() > count) largest.resize(count);
  std::ranges::sort(largest);
  return largest;
}

// Which part of what the gang needs of the pool this is.
double RoomOfVictims::PartOfPool(NodeIndex pool, const Amounts& amounts) const {
  const auto need =
      std::ranges::find(gang_.pools, pool, &matcher::PoolNeed::pool);
  const double held =
      static_cast<double>(amounts[graph_.graph().ResourceOfPool(pool)]);
  return std::min(held / static_cast<double>(need->amount), 1.0);
}

}  // namespace fluxnetes::workers
