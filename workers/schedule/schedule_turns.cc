#include "workers/schedule/schedule_turns.h"

#include <algorithm>
#include <map>
#include <utility>

namespace fluxnetes::workers {
namespace {

bool LaterInLine(const WaitingGroup* a, const WaitingGroup* b) {
  return Earlier(*b, *a);
}

}  // namespace

GroupTurns::GroupTurns(Schedule::State& state,
                       std::vector<const WaitingGroup*> groups)
    : state_(state), heap_(std::move(groups)) {
  std::make_heap(heap_.begin(), heap_.end(), LaterInLine);
}

void GroupTurns::Push(const WaitingGroup* group) {
  if (state_.accounts.Matter() && !IsBlocked(*group)) state_.Stand(*group);
  heap_.push_back(group);
  std::push_heap(heap_.begin(), heap_.end(), LaterInLine);
}

const WaitingGroup* GroupTurns::Pop() {
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), LaterInLine);
    const WaitingGroup* group = heap_.back();
    heap_.pop_back();
    if (!Falls(*group)) return group;
    Push(group);
  }
  return nullptr;
}

bool GroupTurns::Falls(const WaitingGroup& group) {
  if (!state_.accounts.Matter() || IsBlocked(group)) return false;
  const Standing before = group.standing;
  state_.Stand(group);
  return before < group.standing;
}

const WaitingGroup* NextInLine(const WaitingGroup& group) {
  const auto next = std::next(group.place);
  return next == group.line->groups.end() ? nullptr : *next;
}

std::vector<GroupId> Schedule::InOrder(std::size_t limit) {
  state_->accounts.BeginCycle(state_->cycles.now);
  GroupTurns turns(*state_);
  for (const auto& [key, line] : state_->lines.lines())
    if (line->unsatisfiable.empty()) turns.Push(line->Front());
  std::vector<GroupId> order;
  std::map<const ScheduleQueue*, std::size_t> counts;
  while (const WaitingGroup* group = turns.Pop()) {
    if (++counts[group->line->queue] > limit) continue;
    order.push_back(group->id);
    if (group->line->payer) state_->accounts.Charge(*group);
    if (const WaitingGroup* next = NextInLine(*group)) turns.Push(next);
  }
  return order;
}

}  // namespace fluxnetes::workers
