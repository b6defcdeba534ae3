// What a cycle keeps for groups that do not fit: see schedule_cycle.h,
// schedule.h for the rules, and SCHEDULING.md for where they come from.
#include <algorithm>
#include <span>
#include <utility>

#include "sql/faults.h"
#include "workers/schedule/schedule_cycle.h"

namespace fluxnetes::workers {
namespace {

// The most searches for reservations in one cycle of queues that keep them.
constexpr int kPlansPerCycle = 128;

// Whether any of `others` is in `sorted`.
bool Meet(const std::vector<matcher::NodeIndex>& sorted,
          const std::vector<matcher::NodeIndex>& others) {
  return std::any_of(others.begin(), others.end(), [&](auto node) {
    return std::binary_search(sorted.begin(), sorted.end(), node);
  });
}

bool IsLater(const std::optional<ReservedNodes>& reserved,
             const std::optional<ReservedNodes>& before) {
  const auto start = [](const std::optional<ReservedNodes>& each) {
    return each ? each->start.value_or(matcher::kForever) : matcher::kForever;
  };
  return start(reserved) > start(before);
}

}  // namespace

void Cycle::BookRemembered() {
  std::map<const WaitingGroup*, BlockedGroup*, EarlierFirst> remembered;
  for (auto& [name, queue] : state_.queues) {
    for (auto& [group, blocked] : queue.blocked) {
      if (blocked.state() != ReservationState::kRemembered) continue;
      // A queue that plans anew does so at the group's turn.
      queue.Keeps() ? void(remembered.emplace(group, &blocked))
                    : blocked.FailToBook();
    }
  }
  // Those first whose places are fixed: the others may get any places among
  // their nodes, also those of another group.
  for (const bool at_its_places : {true, false}) {
    for (const auto& [group, blocked] : remembered) {
      if (HasItsPlaces(state_.graph, *group, *blocked->reserved()) ==
          at_its_places)
        BookAgain(*group, *blocked);
    }
  }
}

void Cycle::RebookBehind(const WaitingGroup& group) {
  for (auto& [name, queue] : state_.queues) {
    if (!queue.Keeps()) continue;
    for (auto each = queue.blocked.upper_bound(&group);
         each != queue.blocked.end(); ++each) {
      const auto& reserved = each->second.reserved();
      if (!each->second.Stands() && reserved &&
          HasItsPlaces(state_.graph, *each->first, *reserved))
        BookAgain(*each->first, each->second);
    }
  }
}

void Cycle::AskBehind() {
  moved_ = true;
  if (asked_behind_ && again_) return;
  asked_behind_ = true;
  for (const auto& [key, line] : state_.lines.lines()) {
    const bool failed = line->failed_in == state_.cycles.cycle;
    // In a queue that plans anew, what did not fit in this cycle does not fit
    // by what moved behind it.
    if (failed && !line->queue->Keeps()) continue;
    line->ask = true;
    again_ = again_ || failed;
  }
}

void Cycle::Moved(const WaitingGroup& group, const ReservedNodes& before) {
  AskBehind();
  state_.queues.NoteFreed(before, group);
}

Cycle::Step Cycle::Block(const WaitingGroup& group) {
  ScheduleQueue& queue = *group.line->queue;
  BlockedGroup& blocked = queue.blocked[&group];
  if (queue.Keeps()) {
    return plans_ < kPlansPerCycle ? Plan(group, blocked)
                                   : PutOff(group, blocked);
  }
  if (blocked.Stands() && !blocked.MayImprove()) return Count(group, blocked);
  return MayGoAhead(*group.line) ? Plan(group, blocked)
                                 : PutOff(group, blocked);
}

Cycle::Step Cycle::Keep(const WaitingGroup& group, BlockedGroup& blocked) {
  if (blocked.Stands()) return Improve(group, blocked);
  if (BookAgain(group, blocked)) return Count(group, blocked);
  return plans_ < kPlansPerCycle ? Plan(group, blocked)
                                 : PutOff(group, blocked);
}

Cycle::Step Cycle::Improve(const WaitingGroup& group, BlockedGroup& blocked) {
  TurnNotes& turn = blocked.turn;
  const bool due = blocked.IsDue();
  // It had its turn in an earlier cycle of this pass.
  if (turn.pass == state_.cycles.pass && !due && !blocked.MayBeBroken())
    return Count(group, blocked);
  const bool later =
      !due && (plans_ >= kPlansPerCycle || horizon_ != matcher::kForever);
  const bool unseen =
      blocked.MayImprove() || turn.room < state_.queues.room().end_of_made();
  // While it is put off, it is not worth finding out again whether it may gain.
  turn.put_off = unseen && ((later && turn.put_off) || MayGain(group, blocked));
  if (!due && !turn.put_off) {
    turn.room = state_.queues.room().end();
    // If groups ahead are put off, what they leave may still come to it.
    if (!cut_) turn.pass = state_.cycles.pass;
    return Count(group, blocked);
  }
  if (later) {
    // Groups behind it may start now only if they end before its start.
    state_.cycles.more = cut_ = true;
    horizon_ = std::min(horizon_,
                        blocked.IsBooked() ? *blocked.reserved()->start : now_);
    return Count(group, blocked);
  }
  turn.room = state_.queues.room().end();
  turn.pass = state_.cycles.pass;
  turn.put_off = false;
  const bool broken = blocked.TakeReview() == Review::kMayBeBroken;
  if (!blocked.IsBooked()) return Plan(group, blocked);
  if (due) {
    // Its time has come: it starts, or the nodes are not free in time.
    state_.queues.Withdraw(group, blocked);
    return Start(group) ? Step::kStarted : Plan(group, blocked);
  }
  ++plans_;
  ReservationPlan plan = FindEarlier(group, blocked, broken);
  if (plan.fits_now) {
    state_.queues.Withdraw(group, blocked);
    if (Start(group)) return Step::kStarted;
  }
  if (plan.reserved) {
    const ReservedNodes before = *blocked.reserved();
    blocked.Book(*std::move(plan.reserved));
    Moved(group, before);
    state_.queues.NoteTaken(*blocked.reserved(), group.line->gang);
    // The places that it has just left are no gain to it.
    turn.room = state_.queues.room().end();
  } else if (!blocked.Stands()) {
    // Groups behind it stand again first, or it might get their places.
    RebookBehind(group);
    if (!BookAgain(group, blocked)) return Plan(group, blocked);
  }
  blocked.shortfall = std::move(plan.shortfall);
  return Count(group, blocked);
}

ReservationPlan Cycle::FindEarlier(const WaitingGroup& group,
                                   BlockedGroup& blocked, bool broken) {
  const matcher::Policy policy = group.line->queue->settings.match_policy;
  if (!broken && !LooksAtOthers(state_.graph, group.line->gang) &&
      !Meet(blocked.reserved()->nodes, ahead_.chosen))
    return MoveEarlier(state_.graph, group, policy, now_, ahead_,
                       *blocked.reserved());
  // Pods that are to come behind it must not be what makes it earlier.
  if (AffinityVersion(state_.graph, *group.line) != 0)
    state_.queues.WithdrawBehind(group);
  state_.queues.Withdraw(group, blocked);
  return PlanEarlier(state_.graph, group, policy, now_, ahead_,
                     *blocked.reserved()->start);
}

// An earlier start uses some of the room that was made since, or the present
// one would not have been the earliest.
bool Cycle::MayGain(const WaitingGroup& group, BlockedGroup& blocked) const {
  const matcher::Gang& gang = group.line->gang;
  // The log says nothing of pods that rules look at: they may also have broken
  // it.
  if (blocked.MayImprove() || AffinityVersion(state_.graph, *group.line) != 0)
    return true;
  if (blocked.IsBooked()) {
    const ReservedNodes& own = *blocked.reserved();
    return state_.graph.graph().MayStartEarlier(
        gang, {*own.start, own.places}, state_.queues.room(), blocked.turn.room,
        now_, blocked.shortfall);
  }
  for (std::uint64_t i = blocked.turn.room; i < state_.queues.room().end();
       ++i) {
    const matcher::RoomChange& change = state_.queues.room().At(i);
    if (!change.taken && MayUseAny(state_.graph, gang, change.nodes))
      return true;
  }
  return false;
}

bool Cycle::BookAgain(const WaitingGroup& group, BlockedGroup& blocked) {
  std::optional<ReservedNodes> again = blocked.reserved();
  // A drain set ahead has taken some of its nodes.
  if (again && Meet(again->nodes, ahead_.chosen)) again.reset();
  if (!Rebook(state_.graph, group, group.line->queue->settings.match_policy,
              now_, again)) {
    blocked.FailToBook();
    return false;
  }
  if (again != blocked.reserved()) blocked.shortfall.Clear();
  blocked.Book(*std::move(again));
  return true;
}

Cycle::Step Cycle::Plan(const WaitingGroup& group, BlockedGroup& blocked) {
  const ScheduleQueue& queue = *group.line->queue;
  state_.queues.Withdraw(group, blocked);
  state_.queues.WithdrawBehind(group);
  ++plans_;
  // It is to get the places that groups were evicted for, not some that may be
  // free any moment because their groups have outlived an assumed duration.
  std::optional<Overstayers> stay;
  if (state_.graph.EvictedUntil(group.id)) stay.emplace(state_.graph, now_);
  ReservationPlan plan =
      PlanReservation(state_.graph, group, queue.settings.match_policy, now_,
                      ahead_, blocked.reserved(), !turns_[&queue].drains);
  // With those taken to stay, what was missing is not what is.
  if (stay) plan.shortfall.Clear();
  stay.reset();
  if (plan.fits_now && Start(group)) return Step::kStarted;
  const auto before = blocked.reserved();
  blocked.Set(std::move(plan.reserved));
  blocked.shortfall = std::move(plan.shortfall);
  if (IsLater(blocked.reserved(), before)) group.line->spared.reset();
  blocked.TakeReview();
  blocked.turn.room = state_.queues.room().end();
  if (before && before != blocked.reserved()) {
    const bool ask = group.line->ask;
    Moved(group, *before);
    if (blocked.reserved())
      state_.queues.NoteTaken(*blocked.reserved(), group.line->gang);
    // What it has just left is no gain to it, unless it was a drain set.
    if (before->start) {
      blocked.turn.room = state_.queues.room().end();
      group.line->ask = ask;
    }
  }
  if (sql::BugPlanted("reservation-slips"))
    state_.queues.Withdraw(group, blocked);
  return Count(group, blocked);
}

Cycle::Step Cycle::PutOff(const WaitingGroup& group, BlockedGroup& blocked) {
  state_.cycles.more = cut_ = true;
  if (blocked.reserved()) {
    ClaimQuota(group);
    horizon_ = std::min(horizon_, blocked.reserved()->start.value_or(now_));
    blocked.MarkImprovable();
    blocked.turn.cycle = state_.cycles.cycle;
  } else {
    // Nothing is kept for it yet, so there is nothing to remember.
    group.line->queue->blocked.erase(&group);
  }
  ++turns_[group.line->queue].blocked;
  return Step::kReserved;
}

Cycle::Step Cycle::Count(const WaitingGroup& group, BlockedGroup& blocked) {
  const ScheduleQueue& queue = *group.line->queue;
  Turn& turn = turns_[&queue];
  Fail(*group.line);
  if (turn.blocked == 0 && MayPreempt(group, blocked))
    Preempt(group, blocked, Lack::kRoom);
  ++turn.blocked;
  blocked.turn.cycle = state_.cycles.cycle;
  blocked.turn.has_victims = IsLeftFor(group);
  if (const auto& reserved = blocked.reserved()) {
    ClaimQuota(group);
    const bool drains = !reserved->start;
    const bool chosen = drains && !reserved->overdue;
    const auto add = [&](std::vector<matcher::NodeIndex>& to) {
      to.insert(to.end(), reserved->nodes.begin(), reserved->nodes.end());
    };
    add(drains ? ahead_.drained : ahead_.reserved);
    if (chosen) add(ahead_.chosen);
    turn.drains = turn.drains || chosen;
  }
  const bool goes_on = queue.Keeps() && blocked.reserved();
  if (turn.blocked >= queue.Depth()) ForgetBehind(group);
  return goes_on ? Step::kReserved : Step::kWaits;
}

void Cycle::ClaimQuota(const WaitingGroup& group) {
  const PendingLine& line = *group.line;
  if (line.payer) state_.accounts.quotas().Claim(*line.payer, line.amounts);
}

void Cycle::ForgetBehind(const WaitingGroup& group) {
  ScheduleQueue& queue = *group.line->queue;
  bool asks = false;
  for (auto each = queue.blocked.upper_bound(&group);
       each != queue.blocked.end();) {
    if (WasLeftFor(*each->first)) {
      ++each;
      continue;
    }
    asks = asks || each->second.reserved();
    each = state_.queues.Forget(queue, each);
  }
  if (asks) AskBehind();
}

void Cycle::ForgetUnseen() {
  bool asks = false;
  for (auto& [name, queue] : state_.queues) {
    if (!queue.Runs()) continue;
    for (auto each = queue.blocked.begin(); each != queue.blocked.end();) {
      if (each->second.turn.cycle == state_.cycles.cycle) {
        ++each;
        continue;
      }
      asks = asks || each->second.reserved();
      each = state_.queues.Forget(queue, each);
    }
  }
  if (asks) AskBehind();
}

}  // namespace fluxnetes::workers
