// What happened in the graph, and what it means for those that wait: see
// schedule_state.h.
#include <algorithm>
#include <map>
#include <utility>

#include "workers/schedule/schedule_state.h"

namespace fluxnetes::workers {
namespace {

// Of more nodes than this it is not asked what each could hold.
constexpr std::size_t kNodesLookedAt = 64;

bool MayHoldOne(const ScheduleGraph& graph, const matcher::Gang& gang,
                matcher::NodeIndex node,
                const std::vector<std::int64_t>& free_there) {
  return std::any_of(
      gang.groups.begin(), gang.groups.end(), [&](const auto& task) {
        return graph.MayUse(task, node) &&
               std::equal(task.amounts.begin(), task.amounts.end(),
                          free_there.begin(), [](auto amount, auto free) {
                            return amount == 0 || amount <= free;
                          });
      });
}

// Whether pods that those of the line are to be together with are on any of
// the nodes.
bool IsBesideAny(const PendingLine& line,
                 const std::vector<matcher::NodeIndex>& nodes) {
  return std::any_of(line.beside.begin(), line.beside.end(), [&](auto node) {
    return std::binary_search(nodes.begin(), nodes.end(), node);
  });
}

// What has become free on the nodes that have grown, each once, in order; empty
// if that is not known.
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

}  // namespace

struct Schedule::State::GrownNode {
  matcher::NodeIndex node = -1;
  std::vector<std::int64_t> free;
};

void Schedule::State::TakeChanges(matcher::Time now) {
  for (auto& [name, queue] : queues) {
    for (auto& [group, blocked] : queue.blocked) {
      if (!blocked.HasCome(now)) continue;
      blocked.MarkImprovable();
      group->line->ask = true;
      // Or it would count as held now.
      queue.Keeps() ? blocked.ComeDue() : Withdraw(*group, blocked);
    }
  }
  GraphChanges changes = graph.TakeChanges();
  std::vector<std::int64_t> more =
      SumByNode(changes, graph.graph().resources().size());
  changes.grown = EachOnce(std::move(changes.grown));
  changes.changed = EachOnce(std::move(changes.changed));
  const bool many = changes.grown.size() > kNodesLookedAt;
  // Whoever is promised something since before now had counted on it.
  const bool expected =
      changes.since == now && changes.until == now && planned_at < now;
  planned_at = now;
  std::vector<GrownNode> grown;
  for (const auto node : changes.grown) {
    if (!many && graph.Open(node)) {
      grown.push_back({node, graph.graph().Free(node, now)});
    }
  }
  const auto look = [&](PendingLine& line) {
    line.ask = line.ask || MayFit(line, changes, grown, many);
  };
  if (changes.capacity) {
    for (const auto& [key, line] : lines.lines()) lines.Uncheck(*line);
  }
  for (auto& [name, queue] : queues) {
    if (GoesInOrder(queue)) {
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
      // What else a queue that keeps its promises looks at is in `room`.
      const bool by_room = queue.Keeps() ? expected && !counted : !counted;
      if (MayBreak(changes, blocked)) blocked.MarkBroken();
      if (blocked.review() == Review::kNone &&
          ((many && !counted) || MayImprove(changes, *group, blocked, by_room)))
        blocked.MarkImprovable();
    }
  }
  if (!many && !expected && !changes.grown.empty()) {
    room.Add({std::move(changes.grown), now,
              changes.until > now ? changes.until : matcher::kForever,
              std::move(more)});
  }
}

bool Schedule::State::MayFit(const PendingLine& line,
                             const GraphChanges& changes,
                             const std::vector<GrownNode>& grown,
                             bool many) const {
  return many || IsBesideAny(line, changes.grown) ||
         line.surroundings != Surroundings(line) ||
         std::ranges::any_of(grown, [&](const GrownNode& node) {
           return MayHoldOne(graph, line.gang, node.node, node.free);
         });
}

bool Schedule::State::MayImprove(const GraphChanges& changes,
                                 const WaitingGroup& group,
                                 const BlockedGroup& blocked,
                                 bool by_room) const {
  const PendingLine& line = *group.line;
  return line.surroundings != Surroundings(line) ||
         (!blocked.IsBooked() && line.arrivals != Arrivals(line)) ||
         IsBesideAny(line, changes.grown) ||
         (by_room && MayUseAny(graph, line.gang, changes.grown));
}

bool Schedule::State::MayBreak(const GraphChanges& changes,
                               const BlockedGroup& blocked) {
  if (!blocked.reserved()) return false;
  const auto& nodes = blocked.reserved()->nodes;
  return std::any_of(
      changes.changed.begin(), changes.changed.end(), [&](auto node) {
        return std::binary_search(nodes.begin(), nodes.end(), node);
      });
}

std::uint64_t Schedule::State::Surroundings(const PendingLine& line) const {
  std::uint64_t sum = 0;
  for (const matcher::TaskGroup& task : line.gang.groups) {
    sum += graph.graph().Surroundings(task.rules);
  }
  return sum;
}

std::uint64_t Schedule::State::Arrivals(const PendingLine& line) const {
  std::uint64_t sum = 0;
  for (const matcher::TaskGroup& task : line.gang.groups)
    sum += graph.graph().Arrivals(task.rules);
  return sum;
}

bool Schedule::State::NoteSurroundings(bool ask) {
  if (!looks_around) return false;
  bool moved = false;
  for (const auto& [key, line] : lines.lines()) {
    const std::uint64_t now = Surroundings(*line);
    const bool fits = std::exchange(line->surroundings, now) != now;
    const std::uint64_t come = Arrivals(*line);
    const bool any = std::exchange(line->arrivals, come) != come;
    if (!ask || !(fits || any)) continue;
    if (fits) line->ask = moved = true;
    for (auto& [group, blocked] : line->queue->blocked) {
      if (group->line != line.get() || !(fits || !blocked.IsBooked())) continue;
      blocked.MarkImprovable();
      moved = true;
    }
  }
  return moved;
}

void Schedule::State::Free(const ReservedNodes& reserved,
                           const matcher::Gang& gang) {
  graph.NoteGround();
  room.Add(RoomOf(reserved, gang));
  // Who got nothing because a queue has one drain set may get one now.
  const bool drained = !reserved.start && !reserved.overdue;
  for (auto& [name, queue] : queues) {
    if (queue.Keeps() && !drained) continue;
    for (auto& [group, blocked] : queue.blocked) {
      if (blocked.review() == Review::kNone &&
          (queue.Keeps() ? !blocked.reserved()
                         : MayUseAny(graph, group->line->gang, reserved.nodes)))
        blocked.MarkImprovable();
    }
  }
}

void Schedule::State::Take(const ReservedNodes& reserved,
                           const matcher::Gang& gang) {
  if (room.empty()) return;
  matcher::RoomChange change = RoomOf(reserved, gang);
  change.taken = true;
  room.Add(std::move(change));
}

bool Schedule::State::AnyToLookAt() {
  bool any = false;
  std::uint64_t seen = room.end();  // by all
  const auto each = [&](const auto& act) {
    for (auto& [name, queue] : queues) {
      if (!queue.Keeps() || !queue.Runs()) continue;
      for (auto& [group, blocked] : queue.blocked) act(blocked);
    }
  };
  each([&](const BlockedGroup& blocked) {
    any = any || blocked.MayImprove() || blocked.turn.room < room.end_of_made();
    seen = std::min(seen, blocked.turn.room);
  });
  room.ForgetBefore(seen);
  return any;
}

}  // namespace fluxnetes::workers
