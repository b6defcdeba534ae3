// The promises of a cycle: see schedule_cycle.h, and schedule.h for the rules.
#include <algorithm>
#include <span>
#include <utility>

#include "sql/faults.h"
#include "workers/schedule/schedule_cycle.h"

namespace fluxnetes::workers {
namespace {

// So many promises are looked for in a cycle of queues that keep them.
constexpr int kPlansPerCycle = 128;

// `sorted` is.
bool Meet(const std::vector<matcher::NodeIndex>& sorted,
          const std::vector<matcher::NodeIndex>& others) {
  return std::any_of(others.begin(), others.end(), [&](auto node) {
    return std::binary_search(sorted.begin(), sorted.end(), node);
  });
}

bool IsLater(const std::optional<Promise>& promise,
             const std::optional<Promise>& before) {
  const auto start = [](const std::optional<Promise>& each) {
    return each ? each->start.value_or(matcher::kForever) : matcher::kForever;
  };
  return start(promise) > start(before);
}

}  // namespace

void Cycle::WithdrawFrom(const WaitingGroup& first) {
  for (auto& [name, queue] : state_.queues) {
    for (auto head = queue.heads.lower_bound(&first); head != queue.heads.end();
         ++head)
      state_.Withdraw(*head->first, head->second);
  }
}

void Cycle::BookRemembered() {
  std::map<const WaitingGroup*, Head*, EarlierFirst> remembered;
  for (auto& [name, queue] : state_.queues) {
    if (!queue.Keeps()) continue;
    for (auto& [group, head] : queue.heads) {
      if (std::exchange(head.remembered, false) && head.promise)
        remembered.emplace(group, &head);
    }
  }
  // Who may get other places than before might get those of others.
  for (const bool at_its_places : {true, false}) {
    for (const auto& [group, head] : remembered) {
      if (HasItsPlaces(state_.graph, *group, *head->promise) == at_its_places)
        Rebooks(*group, *head);
    }
  }
}

bool Cycle::WithdrawBehind(const WaitingGroup& group) {
  bool any = false;
  for (auto& [name, queue] : state_.queues) {
    for (auto head = queue.heads.upper_bound(&group); head != queue.heads.end();
         ++head) {
      any = any || head->second.stands;
      state_.Withdraw(*head->first, head->second);
    }
  }
  return any;
}

void Cycle::RebookBehind(const WaitingGroup& group) {
  for (auto& [name, queue] : state_.queues) {
    if (!queue.Keeps()) continue;
    for (auto head = queue.heads.upper_bound(&group); head != queue.heads.end();
         ++head) {
      const auto& promise = head->second.promise;
      if (!head->second.stands && promise &&
          HasItsPlaces(state_.graph, *head->first, *promise))
        Rebooks(*head->first, head->second);
    }
  }
}

void Cycle::AskBehind() {
  moved_ = true;
  if (asked_behind_ && again_) return;
  asked_behind_ = true;
  for (const auto& [key, line] : state_.lines.lines()) {
    const bool failed = line->failed_in == state_.cycle;
    if (failed && !line->queue->Keeps()) continue;
    line->ask = true;
    again_ = again_ || failed;
  }
}

void Cycle::Moved(const Promise& before, const matcher::Gang& gang) {
  AskBehind();
  state_.Free(before, gang);
}

Cycle::Step Cycle::MakeHead(const WaitingGroup& group) {
  ScheduleQueue& queue = *group.line->queue;
  Head& head = queue.heads[&group];
  if (queue.Keeps()) {
    return plans_ < kPlansPerCycle ? Plan(group, head) : PutOff(group, head);
  }
  if (head.stands && !head.stale) return Count(group, head);
  return MayGoAhead(*group.line) ? Plan(group, head) : PutOff(group, head);
}

Cycle::Step Cycle::Keep(const WaitingGroup& group, Head& head) {
  if (head.stands) return Improve(group, head);
  if (Rebooks(group, head)) return Count(group, head);
  return plans_ < kPlansPerCycle ? Plan(group, head) : PutOff(group, head);
}

Cycle::Step Cycle::Improve(const WaitingGroup& group, Head& head) {
  const bool due = head.Due(now_);
  // It had its turn when the pass began, in an earlier cycle.
  if (head.pass == state_.pass && !due && !head.doubtful)
    return Count(group, head);
  const bool later =
      !due && (plans_ >= kPlansPerCycle || horizon_ != matcher::kForever);
  const bool news = head.stale || head.looked < state_.room.end_of_made();
  head.waits = news && ((later && head.waits) || MayGain(group, head));
  if (!due && !head.waits) {
    head.looked = state_.room.end();
    // If others before it are put off its turn is yet to come.
    if (!cut_) head.pass = state_.pass;
    return Count(group, head);
  }
  if (later) {
    state_.more = cut_ = true;
    horizon_ = std::min(horizon_, head.Booked() ? *head.promise->start : now_);
    return Count(group, head);
  }
  head.looked = state_.room.end();
  head.pass = state_.pass;
  head.stale = head.waits = false;
  if (!head.Booked()) return Plan(group, head);
  if (due) {
    state_.Withdraw(group, head);
    return Start(group) ? Step::kStarted : Plan(group, head);
  }
  ++plans_;
  HeadPlan plan = FindBetter(group, head);
  if (plan.fits_now) {
    state_.Withdraw(group, head);
    if (Start(group)) return Step::kStarted;
  }
  if (plan.promise) {
    const Promise before = *std::exchange(head.promise, plan.promise);
    head.told = false;
    head.stands = true;
    Moved(before, group.line->gang);
    state_.Take(*head.promise, group.line->gang);
    head.looked = state_.room.end();  // it could have had its old places
  } else if (!head.stands) {
    RebookBehind(group);  // it might get their places among its nodes
    if (!Rebooks(group, head)) return Plan(group, head);
  }
  head.shortfall = std::move(plan.shortfall);
  return Count(group, head);
}

HeadPlan Cycle::FindBetter(const WaitingGroup& group, Head& head) {
  const matcher::Policy policy = group.line->queue->settings.match_policy;
  const bool doubtful = std::exchange(head.doubtful, false);
  if (!doubtful && !LooksAtOthers(state_.graph, group.line->gang) &&
      !Meet(head.promise->nodes, ahead_.chosen))
    return MoveEarlier(state_.graph, group, policy, now_, ahead_,
                       *head.promise);
  // What those behind are promised must not be what makes it earlier.
  if (state_.Surroundings(*group.line) != 0) WithdrawBehind(group);
  state_.Withdraw(group, head);
  return PlanBetter(state_.graph, group, policy, now_, ahead_,
                    *head.promise->start);
}

// An earlier start must use some of the room that was made since.
bool Cycle::MayGain(const WaitingGroup& group, Head& head) {
  const matcher::Gang& gang = group.line->gang;
  // Where other pods matter, one that came may have broken it.
  if (head.stale || state_.Surroundings(*group.line) != 0) return true;
  if (head.Booked()) {
    return state_.graph.graph().MayStartEarlier(
        gang, {*head.promise->start, head.promise->places}, state_.room,
        head.looked, now_, head.shortfall);
  }
  for (std::uint64_t i = head.looked; i < state_.room.end(); ++i) {
    const matcher::RoomChange& change = state_.room.At(i);
    if (!change.taken && MayUseAny(state_.graph, gang, change.nodes))
      return true;
  }
  return false;
}

bool Cycle::Rebooks(const WaitingGroup& group, Head& head) {
  // A drain set has come before it, of nodes that were chosen for it.
  if (head.promise && Meet(head.promise->nodes, ahead_.chosen)) return false;
  const auto before = head.promise;
  head.stands =
      Rebook(state_.graph, group, group.line->queue->settings.match_policy,
             now_, head.promise);
  if (head.promise != before) {
    head.told = false;
    head.shortfall.Clear();
  }
  return head.stands;
}

Cycle::Step Cycle::Plan(const WaitingGroup& group, Head& head) {
  const ScheduleQueue& queue = *group.line->queue;
  state_.Withdraw(group, head);
  WithdrawBehind(group);
  ++plans_;
  // It is to have what others were evicted for, not what may end some day.
  std::optional<Overstayers> stay;
  if (state_.graph.EvictedUntil(group.id)) stay.emplace(state_.graph, now_);
  HeadPlan plan = PlanHead(state_.graph, group, queue.settings.match_policy,
                           now_, ahead_, head.promise, !turns_[&queue].drains);
  // Else it is not known what it is missing.
  head.shortfall = stay ? matcher::Shortfall() : std::move(plan.shortfall);
  stay.reset();
  if (plan.fits_now && Start(group)) return Step::kStarted;
  const auto before = std::exchange(head.promise, std::move(plan.promise));
  if (IsLater(head.promise, before)) group.line->spared.reset();
  head.stands = true;
  head.stale = head.doubtful = false;
  head.looked = state_.room.end();
  if (before != head.promise) head.told = false;
  if (before && before != head.promise) {
    Moved(*before, group.line->gang);
    if (head.promise) state_.Take(*head.promise, group.line->gang);
    if (before->start) head.looked = state_.room.end();
  }
  if (sql::BugPlanted("reservation-slips")) state_.Withdraw(group, head);
  return Count(group, head);
}

Cycle::Step Cycle::PutOff(const WaitingGroup& group, Head& head) {
  state_.more = cut_ = true;
  if (head.promise) {
    ClaimQuota(group);
    horizon_ = std::min(horizon_, head.promise->start.value_or(now_));
    head.stale = true;
    head.seen = state_.cycle;
  } else {
    group.line->queue->heads.erase(&group);
  }
  ++turns_[group.line->queue].heads;
  return Step::kPromised;
}

Cycle::Step Cycle::Count(const WaitingGroup& group, Head& head) {
  const ScheduleQueue& queue = *group.line->queue;
  Turn& turn = turns_[&queue];
  Fail(*group.line);
  if (turn.heads == 0 && MayPreempt(group, head))
    Preempt(group, head, Lack::kRoom);
  ++turn.heads;
  head.seen = state_.cycle;
  head.left_for = IsLeftFor(group);
  if (head.promise) {
    ClaimQuota(group);
    const bool drains = !head.promise->start;
    auto& nodes = drains ? ahead_.drained : ahead_.reserved;
    nodes.insert(nodes.end(), head.promise->nodes.begin(),
                 head.promise->nodes.end());
    if (drains && !head.promise->overdue)
      ahead_.chosen.insert(ahead_.chosen.end(), head.promise->nodes.begin(),
                           head.promise->nodes.end());
    turn.drains = turn.drains || (drains && !head.promise->overdue);
  }
  const bool goes_on = queue.Keeps() && head.promise;
  if (turn.heads >= queue.Depth()) ForgetBehind(group);
  return goes_on ? Step::kPromised : Step::kWaits;
}

void Cycle::ClaimQuota(const WaitingGroup& group) {
  const PendingLine& line = *group.line;
  if (line.payer) state_.accounts.quotas().Claim(*line.payer, line.amounts);
}

void Cycle::ForgetBehind(const WaitingGroup& group) {
  ScheduleQueue& queue = *group.line->queue;
  bool asks = false;
  for (auto head = queue.heads.upper_bound(&group);
       head != queue.heads.end();) {
    if (WasLeftFor(*head->first)) {
      ++head;
      continue;
    }
    asks = asks || head->second.promise;
    head = state_.Forget(queue, head);
  }
  if (asks) AskBehind();
}

void Cycle::ForgetUnseen() {
  bool asks = false;
  for (auto& [name, queue] : state_.queues) {
    if (!queue.Runs()) continue;
    for (auto head = queue.heads.begin(); head != queue.heads.end();) {
      if (head->second.seen == state_.cycle) {
        ++head;
        continue;
      }
      asks = asks || head->second.promise;
      head = state_.Forget(queue, head);
    }
  }
  if (asks) AskBehind();
}

}  // namespace fluxnetes::workers
