// Evictions in a cycle: see schedule_cycle.h, and preemption.h for the rules.
#include <algorithm>
#include <utility>

#include "workers/schedule/schedule_cycle.h"

namespace fluxnetes::workers {
namespace {

// So many evictions for quota are looked for in a cycle, beside promises.
constexpr int kSearchesPerCycle = 64;

}  // namespace

bool Cycle::MayShrinkOthers(const WaitingGroup& group) const {
  return !group.growth &&
         state_.graph.AnyHeldBelow(std::int64_t{kGrowthPriority} + 1);
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
  const bool any =
      (preemption != Preemption::kNever && state_.graph.AnyHeldBelow(below)) ||
      MayShrinkOthers(group);
  if (!any || horizon_ != matcher::kForever ||
      line.spared == std::pair(group.priority, GroundOf(group)))
    return false;
  again_ = again_ || !decision_.placed.empty();
  return decision_.placed.empty();
}

std::uint64_t Cycle::GroundOf(const WaitingGroup& group) const {
  return TakesBack(group.line->queue->settings.preemption)
             ? state_.graph.Ground()
             : state_.graph.Ground(group.priority);
}

bool Cycle::IsLeftFor(const WaitingGroup& group) const {
  return group.line->queue->Depth() > 0 &&
         state_.graph.EvictedUntil(group.id).has_value();
}

bool Cycle::WasLeftFor(const WaitingGroup& group) const {
  const Heads& heads = group.line->queue->heads;
  const auto head = heads.find(&group);
  return (head != heads.end() && head->second.left_for) || IsLeftFor(group);
}

// While groups that were evicted for it end, no others are, unless it would
// not fit by then any more.
bool Cycle::MayPreempt(const WaitingGroup& group, const Head& head) {
  if (group.line->refused_in == state_.cycle) return false;
  const auto& promise = head.promise;
  const auto until = state_.graph.EvictedUntil(group.id);
  const bool enough =
      until && promise &&
      (promise->overdue || promise->start.value_or(matcher::kForever) <=
                               std::max(*until, now_ + 1));
  return !enough && MayEvict(group);
}

bool Cycle::Preempt(const WaitingGroup& group, Head& head, Lack lack) {
  WithdrawBehind(group);
  const bool booked = head.Booked();
  if (booked) state_.graph.graph().Cancel(PromiseJob(group.id));
  std::vector<StandsBefore> before;
  for (const WaitingGroup* each : before_) {
    const Heads& heads = each->line->queue->heads;
    const auto known = heads.find(each);
    before.push_back(
        {each, known == heads.end() ? std::nullopt : known->second.promise});
  }
  ++plans_;
  const auto search = [&](Preemption preemption) {
    return PlanEviction(state_.graph, state_.accounts.quotas(), group, lack,
                        preemption, now_, ahead_, before);
  };
  std::optional<EvictionPlan> plan;
  const Preemption preemption = PreemptionBy(group);
  if (lack == Lack::kQuota) {
    plan = search(Preemption::kReclaim);
  } else {
    // Others go only where elastic groups cannot make enough room.
    if (MayShrinkOthers(group)) plan = search(Preemption::kNever);
    if (!plan && preemption != Preemption::kNever) plan = search(preemption);
  }
  if (!plan) {
    if (booked) BookPromise(state_.graph, group, *head.promise);
    group.line->spared = {group.priority, GroundOf(group)};
    return false;
  }
  Promise freed{*plan->promise.start, {}, {}, false};
  for (const GroupId victim : plan->victims) {
    const matcher::Time end = *state_.graph.HeldBy(victim)->end;
    decision_.evicted.push_back({victim, group.id, group.revision, end});
    const auto nodes = state_.graph.IndicesOf(victim);
    freed.nodes.insert(freed.nodes.end(), nodes.begin(), nodes.end());
    freed.start = std::min(*freed.start, end);
  }
  state_.accounts.TakeHeld(now_);
  const auto promised = std::exchange(head.promise, std::move(plan->promise));
  head.stands = true;
  head.told = head.doubtful = false;
  if (promised) state_.Free(*promised, group.line->gang);
  state_.Free(freed, {});
  head.stale = false;
  head.shortfall.Clear();
  head.looked = state_.room.end();
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
  if (turns_[&queue].heads > 0 || plans_ >= kSearchesPerCycle ||
      !MayEvict(group))
    return std::nullopt;
  Head& head = queue.heads[&group];
  if (!Preempt(group, head, Lack::kQuota)) return std::nullopt;
  head.awaits = line.ask = true;
  return Count(group, head);
}

std::optional<Cycle::Step> Cycle::Await(const WaitingGroup& group,
                                        matcher::Time until) {
  ScheduleQueue& queue = *group.line->queue;
  const bool promised = queue.heads.contains(&group);
  if (!promised && turns_[&queue].heads >= queue.Depth()) return std::nullopt;
  Head& head = queue.heads[&group];
  if (head.doubtful) state_.Withdraw(group, head);
  if (head.promise && head.promise->start.value_or(now_) <= now_) {
    if (!KeepsOn(group, head)) return std::nullopt;
  } else if (!head.stands && !Rebooks(group, head)) {
    if (plans_ >= kSearchesPerCycle || horizon_ != matcher::kForever)
      return PutOff(group, head);
    WithdrawBehind(group);
    ++plans_;
    const auto before = std::exchange(
        head.promise, PlanFrom(state_.graph, group, queue.settings.match_policy,
                               now_, ahead_, until));
    if (before != head.promise) head.told = false;
    if (before && before != head.promise) Moved(*before, group.line->gang);
    if (!head.promise) return std::nullopt;
    head.stands = true;
    head.shortfall.Clear();
  }
  head.awaits = group.line->ask = true;
  head.stale = head.doubtful = false;
  head.looked = state_.room.end();
  return Count(group, head);
}

bool Cycle::KeepsOn(const WaitingGroup& group, Head& head) {
  state_.Withdraw(group, head);
  const auto among = [](const auto& nodes, matcher::NodeIndex node) {
    return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
  };
  for (const matcher::NodeIndex node : head.promise->nodes) {
    if (!state_.graph.MayBeKept(node) || among(ahead_.drained, node) ||
        among(ahead_.reserved, node))
      return false;
  }
  if (head.promise->start) {
    head.promise = Promise{{}, std::move(head.promise->nodes), {}, true};
    head.told = false;
  }
  head.stands = true;
  return true;
}

}  // namespace fluxnetes::workers
