// Evictions in a cycle: see schedule_cycle.h, and preemption.h for the rules.
#include <algorithm>
#include <utility>

#include "workers/schedule/schedule_cycle.h"

namespace fluxnetes::workers {
namespace {

// The most searches of one cycle after which it still looks for groups to evict
// for quota.
constexpr int kSearchesPerCycle = 64;

}  // namespace

bool Cycle::MayShrinkOthers(const WaitingGroup& group) const {
  return !group.growth &&
         state_.graph.evictions().AnyBelow(std::int64_t{kGrowthPriority} + 1);
}

Preemption Cycle::PreemptionBy(const WaitingGroup& group) {
  return group.preempts ? group.line->queue->settings.preemption
                        : Preemption::kNever;
}

bool Cycle::MayEvict(const WaitingGroup& group) {
  const PendingLine& line = *group.line;
  const Preemption preemption = PreemptionBy(group);
  const std::int64_t below =
      std::int64_t{group.priority} + (TakesBack(preemption) ? 1 : 0);
  const bool any = (preemption != Preemption::kNever &&
                    state_.graph.evictions().AnyBelow(below)) ||
                   MayShrinkOthers(group);
  if (!any || horizon_ != matcher::kForever ||
      line.spared == std::pair(group.priority, GroundOf(group)))
    return false;
  again_ = again_ || !decision_.placed.empty();
  return decision_.placed.empty();
}

std::uint64_t Cycle::GroundOf(const WaitingGroup& group) const {
  return TakesBack(group.line->queue->settings.preemption)
             ? state_.graph.evictions().Version()
             : state_.graph.evictions().Version(group.priority);
}

bool Cycle::IsLeftFor(const WaitingGroup& group) const {
  return group.line->queue->Depth() > 0 &&
         state_.graph.EvictedUntil(group.id).has_value();
}

bool Cycle::WasLeftFor(const WaitingGroup& group) const {
  const BlockedGroup* blocked = FindBlocked(group);
  return (blocked != nullptr && blocked->turn.has_victims) || IsLeftFor(group);
}

// While groups that were evicted for it end, no others are, unless it would not
// fit any more when these have gone.
bool Cycle::MayPreempt(const WaitingGroup& group, const BlockedGroup& blocked) {
  if (group.line->refused_in == state_.cycles.cycle) return false;
  const auto& reserved = blocked.reserved();
  const auto until = state_.graph.EvictedUntil(group.id);
  const bool enough =
      until && reserved &&
      (reserved->overdue || reserved->start.value_or(matcher::kForever) <=
                                std::max(*until, now_ + 1));
  return !enough && MayEvict(group);
}

bool Cycle::Preempt(const WaitingGroup& group, BlockedGroup& blocked,
                    Lack lack) {
  state_.queues.WithdrawBehind(group);
  const bool booked = blocked.IsBooked();
  if (booked) state_.graph.graph().Cancel(ReservationJob(group.id));
  std::vector<StandsBefore> ahead;
  for (const WaitingGroup* each : before_) {
    const BlockedGroup* known = FindBlocked(*each);
    ahead.push_back(
        {each, known == nullptr ? std::nullopt : known->reserved()});
  }
  ++plans_;
  const auto search = [&](Preemption preemption) {
    return PlanEviction(state_.graph, state_.accounts.quotas(), group, lack,
                        preemption, now_, ahead_, ahead);
  };
  std::optional<EvictionPlan> plan;
  const Preemption preemption = PreemptionBy(group);
  if (lack == Lack::kQuota) {
    plan = search(Preemption::kReclaim);
  } else {
    // Other groups are evicted only where elastic ones cannot make enough room.
    if (MayShrinkOthers(group)) plan = search(Preemption::kNever);
    if (!plan && preemption != Preemption::kNever) plan = search(preemption);
  }
  if (!plan) {
    if (booked) BookNodes(state_.graph, group, *blocked.reserved());
    group.line->spared = {group.priority, GroundOf(group)};
    return false;
  }
  ReservedNodes freed{*plan->reserved.start, {}, {}, false};
  for (const GroupId victim : plan->victims) {
    const matcher::Time end = *state_.graph.holdings().HeldBy(victim)->end;
    decision_.evicted.push_back({victim, group.id, group.revision, end});
    const auto nodes = state_.graph.IndicesOf(victim);
    freed.nodes.insert(freed.nodes.end(), nodes.begin(), nodes.end());
    freed.start = std::min(*freed.start, end);
  }
  state_.accounts.TakeHeld(now_);
  const auto before = blocked.reserved();
  blocked.Withdraw();
  blocked.Book(std::move(plan->reserved));
  if (before) state_.queues.NoteFreed(*before, group);
  state_.queues.NoteFreed(freed, matcher::Gang());
  blocked.TakeReview();
  blocked.shortfall.Clear();
  blocked.turn.room = state_.queues.room().end();
  AskBehind();
  again_ = true;
  return true;
}

std::optional<Cycle::Step> Cycle::TakeBack(const WaitingGroup& group,
                                           const Quotas::Refusal& refusal) {
  PendingLine& line = *group.line;
  ScheduleQueue& queue = *line.queue;
  if (refusal.behind || !TakesBack(queue.settings.preemption) ||
      !group.preempts)
    return std::nullopt;
  const Quotas& quotas = state_.accounts.quotas();
  const auto until = quotas.LeftBy(*line.payer);
  if (until && quotas.StaysWithin(*line.payer, line.amounts, {}))
    return Await(group, std::max(*until, now_ + 1));
  if (turns_[&queue].blocked > 0 || plans_ >= kSearchesPerCycle ||
      !MayEvict(group))
    return std::nullopt;
  BlockedGroup& blocked = queue.blocked[&group];
  if (!Preempt(group, blocked, Lack::kQuota)) return std::nullopt;
  blocked.turn.awaits_quota = line.ask = true;
  return Count(group, blocked);
}

std::optional<Cycle::Step> Cycle::Await(const WaitingGroup& group,
                                        matcher::Time until) {
  ScheduleQueue& queue = *group.line->queue;
  if (!queue.blocked.contains(&group) &&
      turns_[&queue].blocked >= queue.Depth())
    return std::nullopt;
  BlockedGroup& blocked = queue.blocked[&group];
  if (blocked.MayBeBroken()) state_.queues.Withdraw(group, blocked);
  if (blocked.reserved() && blocked.reserved()->start.value_or(now_) <= now_) {
    if (!KeepsOn(group, blocked)) return std::nullopt;
  } else if (!blocked.Stands() && !BookAgain(group, blocked)) {
    if (plans_ >= kSearchesPerCycle || horizon_ != matcher::kForever)
      return PutOff(group, blocked);
    state_.queues.WithdrawBehind(group);
    ++plans_;
    const auto before = blocked.reserved();
    blocked.Set(PlanFrom(state_.graph, group, queue.settings.match_policy, now_,
                         ahead_, until));
    if (before && before != blocked.reserved()) Moved(group, *before);
    if (!blocked.reserved()) return std::nullopt;
    blocked.shortfall.Clear();
  }
  blocked.turn.awaits_quota = group.line->ask = true;
  blocked.TakeReview();
  blocked.turn.room = state_.queues.room().end();
  return Count(group, blocked);
}

bool Cycle::KeepsOn(const WaitingGroup& group, BlockedGroup& blocked) {
  state_.queues.Withdraw(group, blocked);
  const auto among = [](const auto& nodes, matcher::NodeIndex node) {
    return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
  };
  ReservedNodes kept = *blocked.reserved();
  for (const matcher::NodeIndex node : kept.nodes) {
    if (!state_.graph.MayBeKept(node) || among(ahead_.drained, node) ||
        (!state_.graph.IsPool(node) && among(ahead_.reserved, node)))
      return false;
  }
  if (kept.start) kept = {{}, std::move(kept.nodes), {}, true};
  blocked.Drain(std::move(kept));
  return true;
}

}  // namespace fluxnetes::workers
