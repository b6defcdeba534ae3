#include "workers/schedule/schedule_cycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "matcher/inside/node_interior.h"
#include "sql/faults.h"
#include "workers/schedule/schedule_turns.h"

namespace fluxnetes::workers {
namespace {

// The most nodes that one cycle looks at to explain why groups wait. Reasons
// beyond get their numbers when their lines are asked again.
constexpr int kNodesExplained = 20'000;

// While reservations still improve, they are reported every so many cycles.
constexpr std::uint64_t kCyclesSilent = 16;

const WaitingGroup* Earliest(const WaitingGroup* a, const WaitingGroup* b) {
  if (a == nullptr || b == nullptr) return a == nullptr ? b : a;
  return Earlier(*b, *a) ? b : a;
}

}  // namespace

Decision Cycle::Run() {
  ++state_.cycles.cycle;
  decision_.unreserved = state_.reported.TakeDropped();
  const bool happened = std::exchange(state_.cycles.changed, false);
  const GroupId in_vain = std::exchange(state_.cycles.in_vain, 0);
  state_.cycles.more = false;
  state_.Sweep();
  state_.TakeChanges(now_);
  state_.accounts.BeginCycle(now_);
  CheckSatisfiable();
  AddVerdicts();
  RankFronts();
  BookRemembered();
  const WaitingGroup* first = WhereToBegin();
  const GroupId begin = first == nullptr ? 0 : first->id;
  // It must not be blocked by reservations behind it. Once that has come to
  // nothing, and nothing has happened since, they are left alone: its turn may
  // never come (its queue stops before it, or other groups of its account are
  // charged first), and reservations that are kept would never be looked at.
  if (first != nullptr && (happened || in_vain != begin))
    state_.queues.WithdrawFrom(*first);
  Walk();
  if (walked_ && !cut_ && !moved_ && decision_.placed.empty())
    state_.cycles.in_vain = begin;
  // A group that was refused for quota may have been so for a claim of one
  // that has started since.
  again_ = again_ || (refused_ && !decision_.placed.empty());
  if (state_.queues.AnyToLookAt() || again_) state_.cycles.more = true;
  if (walked_ && !cut_) ++state_.cycles.pass;
  // The pods that were placed may be those that a group ahead waits for. (Where
  // none were, only plans that came to nothing have moved pods.)
  if (state_.NoteAffinityVersions(!decision_.placed.empty()))
    state_.cycles.more = true;
  const bool late =
      state_.cycles.more && walked_ &&
      state_.cycles.cycle - state_.cycles.reported_in >= kCyclesSilent;
  if (!state_.cycles.more || late) Report(late);
  if (state_.lines.AnyUnreported()) state_.cycles.more = true;
  decision_.used = state_.accounts.TakeUsed(now_);
  decision_.holds = state_.accounts.TakeHolds(now_);
  return std::move(decision_);
}

void Cycle::CheckSatisfiable() {
  for (PendingLine* line : state_.lines.TakeUnchecked()) {
    if (line->checked || !line->queue->known) continue;
    line->checked = true;
    const QueueSettings& settings = line->queue->settings;
    const bool was = line->unsatisfiable.empty();
    const bool can =
        state_.graph.graph().Satisfiable(line->gang, settings.match_policy);
    if (was == can) continue;
    if (can) {
      line->unsatisfiable.clear();
      line->ask = true;
    } else {
      SayUnsatisfiable(state_.graph, settings, *line);
      BlockedGroups& all = line->queue->blocked;
      const std::size_t before = all.size();
      for (auto blocked = all.begin(); blocked != all.end();) {
        blocked = blocked->first->line == line
                      ? state_.queues.Forget(*line->queue, blocked)
                      : std::next(blocked);
      }
      // What was kept for them is there for others.
      if (all.size() < before) state_.lines.AskAll();
    }
    for (const WaitingGroup* group : line->groups) {
      state_.lines.MarkUnreported(group->id);
    }
  }
}

void Cycle::AddVerdicts() {
  while (state_.lines.AnyUnreported() &&
         decision_.verdicts.size() < static_cast<std::size_t>(limit_)) {
    WaitingGroup* group = state_.lines.Find(state_.lines.TakeUnreported());
    if (group != nullptr && group->line->checked) AddVerdict(*group);
  }
}

void Cycle::AddVerdict(WaitingGroup& group) {
  const std::string& reason = group.line->unsatisfiable;
  if (group.unsatisfiable == !reason.empty()) return;
  group.unsatisfiable = !reason.empty();
  Verdict verdict{group.id, group.revision, group.unsatisfiable, reason, ""};
  for (const Member& member : group.members) {
    if (!group.unsatisfiable || member.request != group.line->impossible) {
      continue;
    }
    verdict.member = member.uid;
    break;
  }
  decision_.verdicts.push_back(std::move(verdict));
}

void Cycle::RankFronts() {
  if (!state_.accounts.Matter()) return;
  for (const auto& [key, line] : state_.lines.lines()) {
    const WaitingGroup& front = *line->Front();
    if (!IsBlocked(front)) state_.Stand(front);
  }
}

// Of the queues that plan anew: those that keep their reservations find out
// when the turn of a group comes.
const WaitingGroup* Cycle::WhereToBegin() const {
  const WaitingGroup* begin = nullptr;
  for (const auto& [name, queue] : state_.queues) {
    if (queue.Runs() && !queue.Keeps())
      begin = Earliest(begin, WhereToBegin(queue));
  }
  return begin;
}

const WaitingGroup* Cycle::WhereToBegin(const ScheduleQueue& queue) const {
  if (state_.GoesInOrder(queue)) {
    const WaitingGroup* first = state_.FirstOf(queue);
    const bool ask =
        first != nullptr && (first->line->ask || queue.stopped_at != first->id);
    return ask ? first : nullptr;
  }
  const WaitingGroup* front = nullptr;
  const WaitingGroup* begin = nullptr;
  for (const WaitingGroup* each : state_.lines.FrontsOf(queue.settings.name)) {
    const PendingLine& line = *each->line;
    // A line that the last cycle refused for quota is asked at its turn: to
    // begin with it would withdraw reservations in vain.
    const bool refused =
        line.payer && line.refused_in + 1 == state_.cycles.cycle;
    if (!CanRun(line) || refused) continue;
    front = Earliest(front, each);
    // A queue that stops at its first group asks no other line.
    if (line.ask && queue.Depth() > 0 &&
        queue.settings.queue_policy != QueuePolicy::kFcfs)
      begin = Earliest(begin, each);
  }
  if (front == nullptr) return nullptr;
  for (const auto& [left_for, each] : queue.blocked) {
    if (each.turn.has_victims && left_for->line->ask)
      begin = Earliest(begin, left_for);
  }
  const auto blocked = queue.blocked.find(front);
  const bool again = queue.Depth() > 0
                         ? blocked == queue.blocked.end() ||
                               blocked->second.MayImprove() || front->line->ask
                         : front->line->ask;
  return again ? Earliest(begin, front) : begin;
}

std::vector<const WaitingGroup*> Cycle::Fronts() const {
  std::vector<const WaitingGroup*> fronts;
  for (const auto& [name, queue] : state_.queues) {
    if (!queue.Runs()) continue;
    if (!state_.GoesInOrder(queue)) {
      for (const WaitingGroup* front : state_.lines.FrontsOf(name))
        if (CanRun(*front->line)) fronts.push_back(front);
    } else if (const WaitingGroup* first = state_.FirstOf(queue)) {
      fronts.push_back(first);
    }
  }
  return fronts;
}

void Cycle::Walk() {
  GroupTurns turns(state_, Fronts());
  while (const WaitingGroup* group = turns.Pop()) {
    if (decision_.placed.size() >= static_cast<std::size_t>(limit_)) {
      state_.cycles.more = true;
      return;
    }
    ScheduleQueue& queue = *group->line->queue;
    if (turns_[&queue].stopped && !WasLeftFor(*group)) continue;
    const bool in_order = state_.GoesInOrder(queue);
    // Such a queue keeps no note whether lines behind its first are to be
    // asked.
    if (in_order && std::exchange(queue.stopped_at, group->id) != group->id)
      group->line->ask = true;
    const WaitingGroup* next =  // before it leaves its line
        in_order ? nullptr : NextInLine(*group);
    const Step step = Visit(*group);
    if (in_order && step == Step::kStarted) next = state_.FirstOf(queue);
    if (step != Step::kStarted) {
      if (group->line->payer) state_.accounts.Charge(*group);
      if (group->line->refused_in != state_.cycles.cycle || IsBlocked(*group))
        before_.push_back(group);
    }
    if (step != Step::kWaits && next != nullptr) turns.Push(next);
  }
  ForgetUnseen();
  walked_ = true;
}

std::optional<Quotas::Refusal> Cycle::RefusalOf(const WaitingGroup& group,
                                                matcher::Time duration) {
  PendingLine& line = *group.line;
  if (!line.payer) return std::nullopt;
  auto refusal = state_.accounts.quotas().Refuses(*line.payer, line.amounts,
                                                  now_, duration);
  if (!refusal) return std::nullopt;
  refused_ = true;
  line.refused_in = state_.cycles.cycle;
  SayRefusal(state_.graph, state_.accounts.NameOf(refusal->account), *refusal,
             now_, line);
  return refusal;
}

void Cycle::PassOver(const WaitingGroup& group,
                     const Quotas::Refusal& refusal) {
  PendingLine& line = *group.line;
  state_.accounts.quotas().Wait(*line.payer, refusal, line.amounts, now_);
  BlockedGroups& all = line.queue->blocked;
  const auto blocked = all.find(&group);
  if (blocked == all.end()) return;
  const bool reserved = blocked->second.reserved().has_value();
  state_.queues.Forget(*line.queue, blocked);
  if (reserved) AskBehind();
}

Cycle::Step Cycle::Visit(const WaitingGroup& group) {
  PendingLine& line = *group.line;
  ScheduleQueue& queue = *line.queue;
  // Pods of its gang have got a place in this cycle.
  if (line.holder != 0 && state_.IsOutdated(group)) return Step::kWaits;
  if (const auto refusal = RefusalOf(group, line.gang.duration)) {
    if (const auto step = TakeBack(group, *refusal)) return *step;
    PassOver(group, *refusal);
    return Step::kWaits;
  }
  // Its quota is claimed for a later group ahead: it may use it if it ends
  // before, so it starts now or not at all, and gets no reservation.
  if (const auto refusal = RefusalOf(group, matcher::kForever)) {
    PassOver(group, *refusal);
    return line.ask && MayGoAhead(line) && Ask(group) ? Step::kStarted
                                                      : Step::kWaits;
  }
  const auto blocked = queue.blocked.find(&group);
  if (blocked != queue.blocked.end() &&
      std::exchange(blocked->second.turn.awaits_quota, false)) {
    state_.queues.Withdraw(group, blocked->second);
    blocked->second.MarkImprovable();
    if (MayGoAhead(line) && Ask(group)) return Step::kStarted;
  }
  if (queue.Keeps() && blocked != queue.blocked.end())
    return Keep(group, blocked->second);
  if (line.ask && MayGoAhead(line)) {
    // Its own reservation must not stand against it.
    if (blocked != queue.blocked.end())
      state_.queues.Withdraw(group, blocked->second);
    if (Ask(group)) return Step::kStarted;
  }
  if (turns_[&queue].blocked < queue.Depth() || IsLeftFor(group))
    return Block(group);
  Fail(line);
  return Step::kWaits;
}

void Cycle::Fail(PendingLine& line) {
  if (line.failed_in == state_.cycles.cycle) return;
  line.failed_in = state_.cycles.cycle;
  const ScheduleQueue& queue = *line.queue;
  Turn& turn = turns_[&queue];
  ++turn.failed;
  turn.stopped = queue.settings.queue_policy == QueuePolicy::kFcfs ||
                 turn.failed >= queue.settings.queue_depth;
}

bool Cycle::MayGoAhead(const PendingLine& line) const {
  return horizon_ == matcher::kForever || line.gang.duration <= horizon_ - now_;
}

// The number under which its new tasks are booked: unlike its own where it
// holds something already.
matcher::JobId Cycle::JobOf(const WaitingGroup& group) const {
  return state_.graph.holdings().HeldBy(group.id) != nullptr
             ? ReservationJob(group.id)
             : group.id;
}

std::optional<matcher::Placement> Cycle::Allocate(const WaitingGroup& group) {
  const PendingLine& line = *group.line;
  const auto policy = line.queue->settings.match_policy;
  const matcher::JobId job = JobOf(group);
  if (ahead_.drained.empty()) {
    return state_.graph.graph().TryAllocate(job, line.gang, policy, now_);
  }
  const NarrowedGang narrowed =
      NarrowedGang::Without(line.gang, ahead_.drained);
  return state_.graph.graph().TryAllocate(job, narrowed.gang(), policy, now_);
}

bool Cycle::Start(const WaitingGroup& group) {
  // Drain sets ahead only become more during a cycle, so what did not fit once
  // does not fit later.
  if (unschedulable_.Cover(group.line->gang)) return false;
  const auto placement = Allocate(group);
  if (placement) {
    Place(group, *placement);
  } else {
    unschedulable_.Note(group.line->gang);
  }
  return placement.has_value();
}

bool Cycle::Ask(const WaitingGroup& group) {
  if (Start(group)) return true;
  PendingLine& line = *group.line;
  // Reservations behind it must not keep it from starting.
  if (state_.queues.WithdrawBehind(group) && Start(group)) return true;
  line.ask = asked_behind_ = false;
  if (SayShortage(state_.graph, line, line.queue->settings.match_policy, now_,
                  explained_ < kNodesExplained)) {
    explained_ += state_.graph.CountKnown();
  }
  return false;
}

std::vector<PlacedMember> Cycle::MembersOn(
    const WaitingGroup& group, const matcher::Placement& placement) const {
  std::unordered_map<const cluster::PodRequest*, std::size_t> next;
  std::size_t first = 0;
  for (const auto& [request, count] : group.line->requests) {
    next[request] = first;
    first += static_cast<std::size_t>(count);
  }
  std::vector<PlacedMember> members(placement.nodes.size());
  const cluster::PodRequest* last = nullptr;
  std::size_t* task = nullptr;
  for (const Member& member : group.members) {
    if (std::exchange(last, member.request) != member.request)
      task = &next[member.request];
    PlacedMember& placed = members[*task];
    placed.uid = member.uid;
    placed.node = state_.graph.graph().Name(placement.nodes[*task]);
    placed.request = member.request;
    if (!placement.parts.empty()) placed.parts = placement.parts[*task];
    if (!placement.devices.empty()) placed.devices = placement.devices[*task];
    ++*task;
  }
  return members;
}

std::vector<std::string> Cycle::ResourceSetsOf(
    const WaitingGroup& group, const matcher::Placement& placement) const {
  std::vector<std::string> sets;
  const matcher::NodeGraph& graph = state_.graph.graph();
  for (std::size_t t = 0; t < placement.parts.size(); ++t)
    sets.push_back(graph.interior().ResourceSetOf(
        JobOf(group), static_cast<int>(t), graph.Name(placement.nodes[t])));
  return sets;
}

void Cycle::Place(const WaitingGroup& group,
                  const matcher::Placement& placement) {
  PendingLine& line = *group.line;
  const std::vector<matcher::NodeIndex>& nodes = placement.nodes;
  AddVerdict(*state_.lines.Find(group.id));
  const Payer& payer = state_.accounts.payer(group.payer);
  Held held;
  static_cast<PreemptionTerms&>(held) = group;
  held.queue = line.queue_name;
  held.namespace_name = payer.namespace_name;
  held.account = payer.label;
  held.group = group.id;
  held.start = now_;
  held.members = MembersOn(group, placement);
  held.size = std::ssize(held.members);
  held.sharing = {line.gang.whole_nodes, line.gang.aside};
  if (!line.gang.pools.empty()) held.pools = PoolsOf(line);
  if (line.duration && line.gang.duration < matcher::kForever - now_) {
    held.end = now_ + line.gang.duration;
  }
  Placed placed{group.id,        group.revision,
                group.job_id,    group.job_attempt,
                line.queue_name, now_,
                held.end,        held.members,
                held.sharing,    ResourceSetsOf(group, placement),
                held.pools};
  if (state_.graph.holdings().HeldBy(group.id) != nullptr) {
    state_.graph.graph().Cancel(ReservationJob(group.id));
    const Held& all = state_.graph.HoldMore(group.id, held.members);
    placed.start = all.start;
    placed.end = all.end;
    placed.pools = all.pools;
  } else {
    state_.graph.Note(std::move(held), nodes);
  }
  if (line.payer) {
    state_.accounts.TakeHeld(now_);
    state_.accounts.quotas().Take(*line.payer, line.amounts,
                                  matcher::EndOf(now_, line.gang.duration));
  }
  decision_.placed.push_back(std::move(placed));
  if (state_.reported.Drop(group.id)) decision_.unreserved.push_back(group.id);
  const auto blocked = line.queue->blocked.find(&group);
  std::optional<ReservedNodes> reserved;
  if (blocked != line.queue->blocked.end() || line.queue->Depth() == 0)
    state_.graph.evictions().NoteChange();
  if (blocked != line.queue->blocked.end()) {
    reserved = blocked->second.reserved();
    line.queue->blocked.erase(blocked);
  }
  if (reserved && reserved->start == now_ && reserved->places == nodes) {
    // It took exactly what was reserved: nobody gains any room by that.
    AskBehind();
  } else {
    if (reserved) Moved(group, *reserved);
    state_.queues.NoteTaken(ReservedFrom(placement, line.gang), line.gang);
  }
  std::vector<matcher::NodeIndex> pools;
  for (const matcher::PoolNeed& need : line.gang.pools)
    pools.push_back(need.pool);
  state_.lines.Remove(group.id);
  EnterDrained(nodes);
  if (!pools.empty()) EnterDrained(pools);
}

// A group ahead of a blocked one took nodes of its drain set, which is to be
// chosen anew.
void Cycle::EnterDrained(const std::vector<matcher::NodeIndex>& nodes) {
  for (auto& [name, queue] : state_.queues) {
    for (auto& [group, blocked] : queue.blocked) {
      if (!blocked.reserved() || blocked.reserved()->start) continue;
      const auto& drained = blocked.reserved()->nodes;
      if (std::none_of(nodes.begin(), nodes.end(), [&](auto node) {
            return std::binary_search(drained.begin(), drained.end(), node);
          }))
        continue;
      // Groups behind may use what is left of it.
      Moved(*group, *blocked.reserved());
      blocked.LoseNodes();
    }
  }
}

}  // namespace fluxnetes::workers
