#include "workers/pending/schedule_queues.h"

#include <algorithm>
#include <utility>

#include "workers/pending/reservation_plan.h"

namespace fluxnetes::workers {

bool MayUseAny(const ScheduleGraph& graph, const matcher::Gang& gang,
               const std::vector<matcher::NodeIndex>& nodes) {
  return std::any_of(nodes.begin(), nodes.end(), [&](auto node) {
    return std::any_of(
               gang.groups.begin(), gang.groups.end(),
               [&](const auto& task) { return graph.MayUse(task, node); }) ||
           std::ranges::find(gang.pools, node, &matcher::PoolNeed::pool) !=
               gang.pools.end();
  });
}

std::size_t ScheduleQueue::Depth() const {
  constexpr std::size_t kHybridDepth = 64;
  constexpr std::size_t kConservativeDepth = 1'000;
  switch (settings.queue_policy) {
    case QueuePolicy::kFcfs:  // what was evicted for its first is to be kept
      return settings.preemption == Preemption::kNever && !growth ? 0 : 1;
    case QueuePolicy::kEasy:
      return 1;
    case QueuePolicy::kConservative:
      return settings.reservation_depth.value_or(kConservativeDepth);
    case QueuePolicy::kHybrid:
      return settings.reservation_depth.value_or(kHybridDepth);
  }
  return 0;
}

const BlockedGroup* FindBlocked(const WaitingGroup& group) {
  const BlockedGroups& all = group.line->queue->blocked;
  const auto found = all.find(&group);
  return found == all.end() ? nullptr : &found->second;
}

ScheduleQueue& ScheduleQueues::operator[](const std::string& name) {
  const auto [found, added] = queues_.try_emplace(name);
  if (added) {
    found->second.settings.name = name;
    found->second.growth = growth_;
  }
  return found->second;
}

const ScheduleQueue* ScheduleQueues::Find(const std::string& name) const {
  const auto found = queues_.find(name);
  return found == queues_.end() ? nullptr : &found->second;
}

bool ScheduleQueues::NoteGrowth() {
  if (std::exchange(growth_, true)) return false;
  for (auto& [name, queue] : queues_) queue.growth = true;
  return true;
}

std::optional<matcher::Time> ScheduleQueues::NextDue() const {
  std::optional<matcher::Time> next;
  for (const auto& [name, queue] : queues_) {
    for (const auto& [group, blocked] : queue.blocked) {
      if (!blocked.IsBooked()) continue;
      const matcher::Time start = *blocked.reserved()->start;
      next = std::min(next.value_or(start), start);
    }
  }
  return next;
}

void ScheduleQueues::Withdraw(const WaitingGroup& group,
                              BlockedGroup& blocked) {
  if (blocked.IsBooked()) graph_.graph().Cancel(ReservationJob(group.id));
  blocked.Withdraw();
}

void ScheduleQueues::WithdrawFrom(const WaitingGroup& first) {
  for (auto& [name, queue] : queues_) {
    for (auto each = queue.blocked.lower_bound(&first);
         each != queue.blocked.end(); ++each)
      Withdraw(*each->first, each->second);
  }
}

bool ScheduleQueues::WithdrawBehind(const WaitingGroup& group) {
  bool any = false;
  for (auto& [name, queue] : queues_) {
    for (auto each = queue.blocked.upper_bound(&group);
         each != queue.blocked.end(); ++each) {
      any = any || each->second.Stands();
      Withdraw(*each->first, each->second);
    }
  }
  return any;
}

BlockedGroups::iterator ScheduleQueues::Forget(ScheduleQueue& queue,
                                               BlockedGroups::iterator group) {
  const WaitingGroup& waiting = *group->first;
  Withdraw(waiting, group->second);
  const std::optional<ReservedNodes> reserved = group->second.reserved();
  const auto next = queue.blocked.erase(group);
  // After it has gone, so that only others are noted to gain by it.
  if (reserved) NoteFreed(*reserved, waiting);
  return next;
}

void ScheduleQueues::ForgetAll(ScheduleQueue& queue) {
  while (!queue.blocked.empty()) Forget(queue, queue.blocked.begin());
}

void ScheduleQueues::NoteFreed(const ReservedNodes& reserved,
                               const matcher::Gang& gang) {
  NoteFreed(reserved, gang, nullptr);
}

void ScheduleQueues::NoteFreed(const ReservedNodes& reserved,
                               const matcher::Gang& gang,
                               const WaitingGroup* group) {
  graph_.evictions().NoteChange();
  room_.Add(RoomOf(reserved, gang));
  // A queue has one chosen drain set, so whoever got nothing for that may get
  // one now, which no room says.
  const bool chosen = !reserved.start && !reserved.overdue;
  for (auto& [name, queue] : queues_) {
    if (queue.Keeps() && !chosen) continue;  // they read the log
    for (auto& [other, blocked] : queue.blocked) {
      if (blocked.MayImprove()) continue;
      if (queue.Keeps()
              ? !blocked.reserved()
              : (group == nullptr || Earlier(*group, *other)) &&
                    MayUseAny(graph_, other->line->gang, reserved.nodes))
        blocked.MarkImprovable();
    }
  }
}

void ScheduleQueues::NoteTaken(const ReservedNodes& reserved,
                               const matcher::Gang& gang) {
  if (room_.empty()) return;  // nobody has counted on it
  matcher::RoomChange change = RoomOf(reserved, gang);
  change.taken = true;
  room_.Add(std::move(change));
}

bool ScheduleQueues::AnyToLookAt() {
  bool any = false;
  std::uint64_t seen = room_.end();  // by all
  for (const auto& [name, queue] : queues_) {
    if (!queue.Keeps() || !queue.Runs()) continue;
    for (const auto& [group, blocked] : queue.blocked) {
      any = any || blocked.MayImprove() ||
            blocked.turn.room < room_.end_of_made();
      seen = std::min(seen, blocked.turn.room);
    }
  }
  room_.ForgetBefore(seen);
  return any;
}

}  // namespace fluxnetes::workers
