#include "workers/gates/caller_gate.h"

namespace fluxnetes::workers {

void CallerGate::Put(const PendingGroup& group) {
  groups_.erase(group.id);
  if (group.pressing) groups_.emplace(group.id, group.takes_promise);
}

void CallerGate::Answer(Decision& decision, Schedule& schedule) {
  if (groups_.empty()) return;
  for (const Placed& placed : decision.placed) groups_.erase(placed.group);
  for (const Reservation& reserved : decision.reserved) {
    const auto group = groups_.find(reserved.group);
    if (!reserved.start || group == groups_.end() || !group->second) continue;
    decision.promised.push_back(reserved.group);
    groups_.erase(group);
  }
  if (schedule.More()) return;
  for (const auto& [group, takes_promise] : groups_) {
    schedule.Remove(group);
    decision.turned_down.push_back(group);
  }
  groups_.clear();
}

}  // namespace fluxnetes::workers
