#include "workers/schedule_cycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "sql/faults.h"

namespace fluxnetes::workers {
namespace {

// Reasons of one cycle look at so many nodes; the others get their numbers when
// they are asked again.
constexpr int kNodesExplained = 20'000;

bool LaterFront(const PendingLine* a, const PendingLine* b) {
  return Earlier(*b->Front(), *a->Front());
}

bool CanRun(const PendingLine& line) {
  return line.queue->Runs() && line.unsatisfiable.empty();
}

const WaitingGroup* Earliest(const WaitingGroup* a, const WaitingGroup* b) {
  if (a == nullptr || b == nullptr) return a == nullptr ? b : a;
  return Earlier(*b, *a) ? b : a;
}

bool IsEasy(const ScheduleQueue& queue) {
  return queue.settings.queue_policy == QueuePolicy::kEasy;
}

}  // namespace

Decision Cycle::Run() {
  ++state_.cycle;
  state_.changed = false;
  state_.more = false;
  state_.Sweep();
  state_.TakeChanges(now_);
  CheckSatisfiable();
  Tell();
  if (const WaitingGroup* first = WhereToBegin()) WithdrawFrom(*first);
  Walk();
  // What was placed may be what a group before it waits for. (Where nothing
  // was, plans that came to nothing are all that moved.)
  if (state_.NoteSurroundings(!decision_.placed.empty())) state_.more = true;
  if (!state_.more) Report();
  if (!state_.to_tell.empty()) state_.more = true;
  return std::move(decision_);
}

void Cycle::CheckSatisfiable() {
  for (const auto& [key, line] : state_.lines.lines()) {
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
      ScheduleQueue& queue = *line->queue;
      if (queue.head != nullptr && queue.head->line == line.get()) {
        state_.Forget(queue);
      }
    }
    for (const WaitingGroup* group : line->groups) {
      state_.to_tell.push_back(group->id);
    }
  }
}

void Cycle::Tell() {
  while (!state_.to_tell.empty() &&
         decision_.verdicts.size() < static_cast<std::size_t>(limit_)) {
    WaitingGroup* group = state_.lines.Find(state_.to_tell.front());
    state_.to_tell.pop_front();
    if (group != nullptr && group->line->checked) Tell(*group);
  }
}

void Cycle::Tell(WaitingGroup& group) {
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

const WaitingGroup* Cycle::WhereToBegin() const {
  std::map<const ScheduleQueue*, const WaitingGroup*> fronts;
  const WaitingGroup* begin = nullptr;
  for (const auto& [key, line] : state_.lines.lines()) {
    if (!CanRun(*line)) continue;
    const WaitingGroup* front = line->Front();
    const WaitingGroup*& first = fronts[line->queue];
    first = Earliest(first, front);
    if (line->ask && IsEasy(*line->queue)) begin = Earliest(begin, front);
  }
  for (const auto& [queue, front] : fronts) {
    const bool again = IsEasy(*queue) ? queue->stale || queue->head != front
                                      : front->line->ask;
    if (again) begin = Earliest(begin, front);
  }
  return begin;
}

void Cycle::WithdrawFrom(const WaitingGroup& first) {
  for (auto& [name, queue] : state_.queues) {
    if (queue.head != nullptr && !Earlier(*queue.head, first)) {
      state_.Withdraw(queue);
    }
  }
}

void Cycle::Push(PendingLine* line) {
  heap_.push_back(line);
  std::push_heap(heap_.begin(), heap_.end(), LaterFront);
}

PendingLine* Cycle::Pop() {
  std::pop_heap(heap_.begin(), heap_.end(), LaterFront);
  PendingLine* line = heap_.back();
  heap_.pop_back();
  return line;
}

void Cycle::Walk() {
  for (const auto& [key, line] : state_.lines.lines()) {
    if (CanRun(*line)) heap_.push_back(line.get());
  }
  std::make_heap(heap_.begin(), heap_.end(), LaterFront);
  while (!heap_.empty()) {
    if (decision_.placed.size() >= static_cast<std::size_t>(limit_)) {
      state_.more = true;
      return;
    }
    PendingLine* line = Pop();
    if (turns_[line->queue].stopped) continue;
    const bool last = line->groups.size() == 1;
    if (!line->ask || !Ask(*line)) {
      Fail(*line);
    } else if (!last) {
      Push(line);
    }
  }
}

matcher::MatchResult Cycle::Allocate(const WaitingGroup& group) {
  const PendingLine& line = *group.line;
  const auto policy = line.queue->settings.match_policy;
  const matcher::JobId job =
      state_.graph.Holds(group.id) ? PromiseJob(group.id) : group.id;
  if (ahead_.drained.empty()) {
    return state_.graph.graph().Allocate(job, line.gang, policy, now_);
  }
  const NarrowedGang narrowed =
      NarrowedGang::Without(line.gang, ahead_.drained);
  return state_.graph.graph().Allocate(job, narrowed.gang(), policy, now_);
}

bool Cycle::Ask(PendingLine& line) {
  const auto match = Allocate(*line.Front());
  if (const auto* placement = std::get_if<matcher::Placement>(&match)) {
    Place(*line.Front(), placement->nodes);
    return true;
  }
  line.ask = false;
  if (SayShortage(state_.graph, line, line.queue->settings.match_policy, now_,
                  explained_ < kNodesExplained)) {
    explained_ += static_cast<int>(state_.graph.KnownNodes().size());
  }
  return false;
}

std::vector<PlacedMember> Cycle::MembersOn(
    const WaitingGroup& group,
    const std::vector<matcher::NodeIndex>& nodes) const {
  std::unordered_map<const cluster::PodRequest*, std::size_t> next;
  std::size_t first = 0;
  for (const auto& [request, count] : group.line->requests) {
    next[request] = first;
    first += static_cast<std::size_t>(count);
  }
  std::vector<PlacedMember> members(nodes.size());
  for (const Member& member : group.members) {
    const std::size_t task = next[member.request]++;
    members[task] = {member.uid, state_.graph.graph().Name(nodes[task]),
                     member.request};
  }
  return members;
}

void Cycle::Place(const WaitingGroup& group,
                  const std::vector<matcher::NodeIndex>& nodes) {
  PendingLine& line = *group.line;
  Tell(*state_.lines.Find(group.id));
  Held held{group.id, now_, std::nullopt, MembersOn(group, nodes),
            line.queue_name};
  if (line.duration && line.gang.duration < matcher::kForever - now_) {
    held.end = now_ + line.gang.duration;
  }
  Placed placed{group.id,          group.revision,  group.job_id,
                group.job_attempt, line.queue_name, now_,
                held.end,          held.members};
  if (state_.graph.Holds(group.id)) {
    state_.graph.graph().Cancel(PromiseJob(group.id));
    const Held& all = state_.graph.HoldMore(group.id, held.members);
    placed.start = all.start;
    placed.end = all.end;
  } else {
    state_.graph.Note(held);
  }
  decision_.placed.push_back(std::move(placed));
  if (state_.said.erase(group.id) > 0) {
    decision_.unreserved.push_back(group.id);
  }
  const bool was_promised =
      line.queue->head == &group && line.queue->promise.has_value();
  if (line.queue->head == &group) {
    line.queue->head = nullptr;
    line.queue->promise.reset();
    line.queue->stale = false;
  }
  state_.lines.Remove(group.id);
  if (was_promised) AskBehind();
  EnterDrained(nodes);
}

// A group before a head took nodes of its drain set, which is to be chosen
// anew.
void Cycle::EnterDrained(const std::vector<matcher::NodeIndex>& nodes) {
  for (auto& [name, queue] : state_.queues) {
    if (queue.stands || !queue.promise || queue.promise->start) continue;
    auto& drained = queue.promise->nodes;
    if (std::any_of(nodes.begin(), nodes.end(), [&](auto node) {
          return std::binary_search(drained.begin(), drained.end(), node);
        })) {
      drained.clear();
    }
  }
}

void Cycle::Fail(PendingLine& line) {
  ScheduleQueue& queue = *line.queue;
  Turn& turn = turns_[&queue];
  line.failed_in = state_.cycle;
  ++turn.failed;
  if (!IsEasy(queue)) {
    turn.stopped = true;
    return;
  }
  if (!turn.has_head && !MakeHead(queue, line)) {
    --turn.failed;
    line.ask = true;
    Push(&line);
    return;
  }
  turn.has_head = true;
  turn.stopped = turn.failed >= queue.settings.queue_depth;
}

bool Cycle::MakeHead(ScheduleQueue& queue, PendingLine& line) {
  const WaitingGroup* front = line.Front();
  if (queue.head != front || !queue.stands) {
    const auto before =
        queue.head == front ? queue.promise : std::optional<Promise>();
    HeadPlan plan = PlanHead(state_.graph, *front, queue.settings.match_policy,
                             now_, ahead_, before);
    if (plan.fits_now) return false;
    const bool moved =
        queue.promise && (queue.head != front || plan.promise != queue.promise);
    queue.head = front;
    queue.promise = std::move(plan.promise);
    queue.stands = true;
    queue.stale = false;
    if (moved) AskBehind();
    if (sql::BugPlanted("reservation-slips")) {
      state_.Withdraw(queue);
      return true;
    }
  }
  if (!queue.promise) return true;
  auto& nodes = queue.promise->start ? ahead_.reserved : ahead_.drained;
  nodes.insert(nodes.end(), queue.promise->nodes.begin(),
               queue.promise->nodes.end());
  return true;
}

// Something that stood against the groups from here on does so no more.
void Cycle::AskBehind() {
  for (const auto& [key, line] : state_.lines.lines()) {
    if (line->failed_in != state_.cycle) line->ask = true;
  }
}

void Cycle::Report() {
  ReportReservations();
  const auto say = [this](const PendingLine& line) {
    const bool asked = CanRun(line) && line.failed_in == state_.cycle;
    const Why why = asked ? Why{WaitReason::Kind::kRoom, line.why_short}
                          : WhyNotAsked(line);
    state_.reasons.Say(line.queue_name, line.shape, why.first, why.second);
  };
  // Of a shape whole groups speak first, then those that are bound by where
  // their other pods are.
  std::vector<const PendingLine*> beside;
  for (const auto& [key, line] : state_.lines.lines()) {
    const bool told = line->queue->known && !line->unsatisfiable.empty();
    if (told) continue;  // by a verdict
    if (line->beside.empty()) {
      say(*line);
    } else {
      beside.push_back(line.get());
    }
  }
  for (const PendingLine* line : beside) say(*line);
  decision_.reasons = state_.reasons.TakeChanges();
}

void Cycle::ReportReservations() {
  std::set<GroupId> promised;
  for (const auto& [name, queue] : state_.queues) {
    if (queue.head == nullptr || !queue.promise) continue;
    const GroupId group = queue.head->id;
    promised.insert(group);
    Reservation reservation{group, name, queue.promise->start,
                            state_.graph.Names(queue.promise->nodes)};
    auto& said = state_.said[group];
    if (said == reservation) continue;
    said = reservation;
    decision_.reserved.push_back(std::move(reservation));
  }
  for (auto it = state_.said.begin(); it != state_.said.end();) {
    if (promised.contains(it->first)) {
      ++it;
      continue;
    }
    decision_.unreserved.push_back(it->first);
    it = state_.said.erase(it);
  }
}

Cycle::Why Cycle::WhyNotAsked(const PendingLine& line) const {
  using Kind = WaitReason::Kind;
  const QueueSettings& settings = line.queue->settings;
  if (!line.queue->known) {
    return {Kind::kNoQueue,
            fmt::format("there is no queue {}", line.queue_name)};
  }
  if (settings.paused) {
    return {Kind::kPaused, fmt::format("queue {} is paused", settings.name)};
  }
  if (!IsEasy(*line.queue)) {
    return {Kind::kOrder,
            fmt::format("queue {} starts groups strictly in order (fcfs)",
                        settings.name)};
  }
  return {Kind::kDepth, fmt::format("beyond the depth of queue {} ({})",
                                    settings.name, settings.queue_depth)};
}

}  // namespace fluxnetes::workers
