// What happened in the graph, and what it means for waiting groups: see
// schedule_state.h.
#include <algorithm>
#include <map>
#include <utility>

#include "workers/schedule/schedule_state.h"

namespace fluxnetes::workers {
namespace {

// If more nodes than this have changed, it is not looked at what each could
// hold.
constexpr std::size_t kNodesLookedAt = 64;

bool MayHoldOne(const ScheduleGraph& graph, const matcher::Gang& gang,
                matcher::NodeIndex node,
                const std::vector<std::int64_t>& free_there) {
  for (const matcher::PoolNeed& need : gang.pools) {
    if (need.pool == node)
      return need.amount <= free_there[graph.graph().ResourceOfPool(node)];
  }
  return std::any_of(
      gang.groups.begin(), gang.groups.end(), [&](const auto& task) {
        return graph.MayUse(task, node) &&
               std::equal(task.amounts.begin(), task.amounts.end(),
                          free_there.begin(), [](auto amount, auto free) {
                            return amount == 0 || amount <= free;
                          });
      });
}

// Whether other pods of the line's groups, which theirs are to be together
// with, are on any of the nodes.
bool IsBesideAny(const PendingLine& line,
                 const std::vector<matcher::NodeIndex>& nodes) {
  return std::any_of(line.beside.begin(), line.beside.end(), [&](auto node) {
    return std::binary_search(nodes.begin(), nodes.end(), node);
  });
}

// What became free on the nodes that have grown, each once, in order; empty if
// that is unknown.
std::vector<std::int64_t> SumByNode(const GraphChanges& changes,
                                    std::size_t resources) {
  if (changes.more.size() != changes.grown.size() * resources) return {};
  std::map<matcher::NodeIndex, std::vector<std::int64_t>> sums;
  auto amount = changes.more.begin();
  for (const auto node : changes.grown) {
    auto& sum = sums[node];
    sum.resize(resources);
    for (std::int64_t& each : sum)
      each = std::min(each, matcher::kMaxAmount) + *amount++;
  }
  std::vector<std::int64_t> more;
  for (const auto& [node, sum] : sums)
    more.insert(more.end(), sum.begin(), sum.end());
  return more;
}

// A node on which something became free, and what is free there now.
struct GrownNode {
  matcher::NodeIndex node = -1;
  std::vector<std::int64_t> free;
};

// Whether a line that did not fit may fit now.
bool MayFit(const ScheduleGraph& graph, const PendingLine& line,
            const GraphChanges& changes, const std::vector<GrownNode>& grown,
            bool many) {
  return many || IsBesideAny(line, changes.grown) ||
         line.affinity_version != AffinityVersion(graph, line) ||
         std::ranges::any_of(grown, [&](const GrownNode& node) {
           return MayHoldOne(graph, line.gang, node.node, node.free);
         });
}

// Whether a blocked group may get an earlier start, or one at all, by the pods
// that came or went, or, if `by_room`, by the room that became free.
bool MayImprove(const ScheduleGraph& graph, const GraphChanges& changes,
                const WaitingGroup& group, const BlockedGroup& blocked,
                bool by_room) {
  const PendingLine& line = *group.line;
  return line.affinity_version != AffinityVersion(graph, line) ||
         (!blocked.IsBooked() &&
          line.arrivals != AffinityArrivals(graph, line)) ||
         IsBesideAny(line, changes.grown) ||
         (by_room && MayUseAny(graph, line.gang, changes.grown));
}

// Whether a node that is kept for the group has changed.
bool MayBreak(const GraphChanges& changes, const BlockedGroup& blocked) {
  if (!blocked.reserved()) return false;
  const auto& nodes = blocked.reserved()->nodes;
  return std::any_of(
      changes.changed.begin(), changes.changed.end(), [&](auto node) {
        return std::binary_search(nodes.begin(), nodes.end(), node);
      });
}

}  // namespace

std::uint64_t AffinityVersion(const ScheduleGraph& graph,
                              const PendingLine& line) {
  std::uint64_t sum = 0;
  for (const matcher::TaskGroup& task : line.gang.groups)
    sum += graph.graph().AffinityVersion(task.rules);
  return sum;
}

std::uint64_t AffinityArrivals(const ScheduleGraph& graph,
                               const PendingLine& line) {
  std::uint64_t sum = 0;
  for (const matcher::TaskGroup& task : line.gang.groups)
    sum += graph.graph().AffinityArrivals(task.rules);
  return sum;
}

void Schedule::State::TakeDueReservations(matcher::Time now) {
  for (auto& [name, queue] : queues) {
    for (auto& [group, blocked] : queue.blocked) {
      if (!blocked.HasCome(now)) continue;
      blocked.MarkImprovable();
      group->line->ask = true;
      if (queue.Keeps()) {
        blocked.ComeDue();
      } else {
        // Booked from now on it would hide what is free from groups ahead.
        queues.Withdraw(*group, blocked);
      }
    }
  }
}

void Schedule::State::TakeChanges(matcher::Time now) {
  TakeDueReservations(now);
  GraphChanges changes = graph.TakeChanges();
  std::vector<std::int64_t> more =
      SumByNode(changes, graph.graph().resources().size());
  changes.grown = EachOnce(std::move(changes.grown));
  changes.changed = EachOnce(std::move(changes.changed));
  const bool many = changes.grown.size() > kNodesLookedAt;
  // All that became free was to become free now. Reservations made before now
  // have counted on it, so there is nothing in it for them.
  const bool expected =
      changes.since == now && changes.until == now && cycles.planned_at < now;
  cycles.planned_at = now;
  std::vector<GrownNode> grown;
  for (const auto node : changes.grown) {
    if (!many && (graph.Open(node) || graph.IsPool(node))) {
      grown.push_back({node, graph.graph().Free(node, now)});
    }
  }
  const auto look = [&](PendingLine& line) {
    line.ask = line.ask || MayFit(graph, line, changes, grown, many);
  };
  if (changes.capacity) {
    for (const auto& [key, line] : lines.lines()) lines.Uncheck(*line);
  }
  for (auto& [name, queue] : queues) {
    if (GoesInOrder(queue)) {
      // Only the group that it stopped at is ever asked.
      if (auto* group = lines.Find(queue.stopped_at)) look(*group->line);
      continue;
    }
    for (const WaitingGroup* front : lines.FrontsOf(name)) {
      const auto blocked = expected && !queue.Keeps()
                               ? queue.blocked.find(front)
                               : queue.blocked.end();
      if (blocked == queue.blocked.end() || !blocked->second.IsBooked())
        look(*front->line);
    }
    for (auto& [group, blocked] : queue.blocked) {
      const bool counted = expected && blocked.IsBooked();
      // What else a queue that keeps its reservations looks at is in the log.
      const bool by_room = queue.Keeps() ? expected && !counted : !counted;
      if (MayBreak(changes, blocked)) blocked.MarkBroken();
      if (!blocked.MayImprove() &&
          ((many && !counted) ||
           MayImprove(graph, changes, *group, blocked, by_room)))
        blocked.MarkImprovable();
    }
  }
  if (!many && !expected && !changes.grown.empty()) {
    queues.NoteRoom({std::move(changes.grown), now,
                     changes.until > now ? changes.until : matcher::kForever,
                     std::move(more)});
  }
}

bool Schedule::State::NoteAffinityVersions(bool ask) {
  if (!looks_around) return false;
  bool moved = false;
  for (const auto& [key, line] : lines.lines()) {
    const std::uint64_t now = AffinityVersion(graph, *line);
    const bool fits = std::exchange(line->affinity_version, now) != now;
    const std::uint64_t come = AffinityArrivals(graph, *line);
    const bool any = std::exchange(line->arrivals, come) != come;
    if (!ask || !(fits || any)) continue;
    if (fits) line->ask = moved = true;
    for (auto& [group, blocked] : line->queue->blocked) {
      // Where a start is known, pods that it needs are there by then.
      if (group->line != line.get() || !(fits || !blocked.IsBooked())) continue;
      blocked.MarkImprovable();
      moved = true;
    }
  }
  return moved;
}

}  // namespace fluxnetes::workers
