#include "workers/gates/scheduling_gates.h"

#include <utility>

namespace fluxnetes::workers {

void SchedulingGates::Put(PendingGroup group, Schedule& schedule,
                          matcher::Time now) {
  if (answers_) callers_.Put(group);
  auto ready = hold_.Put(std::move(group), now);
  if (ready) PutUnheld(*std::move(ready), schedule);
}

void SchedulingGates::PutUnheld(PendingGroup group, Schedule& schedule) {
  auto ready = min_resources_.Put(std::move(group), schedule);
  if (ready) PutClaims(*std::move(ready), schedule);
}

void SchedulingGates::PutClaims(PendingGroup group, Schedule& schedule) {
  auto ready = claims_.Put(std::move(group), schedule);
  if (ready) pass_(*std::move(ready));
}

void SchedulingGates::Remove(GroupId group) {
  hold_.Remove(group);
  claims_.Remove(group);
  min_resources_.Remove(group);
  callers_.Remove(group);
}

void SchedulingGates::Clear() {
  hold_.Clear();
  claims_.Clear();
  min_resources_.Clear();
  callers_.Clear();
}

// In the order of the gates, so that a group passes as many as it can.
void SchedulingGates::LookAgain(Schedule& schedule, matcher::Time now,
                                int limit) {
  for (PendingGroup& group : hold_.TakeDue(schedule, now, limit))
    PutUnheld(std::move(group), schedule);
  for (PendingGroup& group : min_resources_.LookAgain(schedule, now))
    PutClaims(std::move(group), schedule);
  for (PendingGroup& group : claims_.LookAgain(schedule))
    pass_(std::move(group));
}

void SchedulingGates::Review(Decision& decision, Schedule& schedule,
                             matcher::Time now) {
  hold_.HoldBack(decision, schedule, now);
  min_resources_.HoldBack(decision, schedule, now);
  claims_.HoldBack(decision, schedule);
  // After the others, since it turns down groups that are not placed by now.
  callers_.Answer(decision, schedule);
  for (const Placed& placed : decision.placed) {
    hold_.Remove(placed.group);
    min_resources_.Remove(placed.group);
  }
  // If several gates have a verdict on a group, the last with a reason counts.
  hold_.AddVerdicts(decision);
  claims_.AddVerdicts(decision);
  min_resources_.AddVerdicts(decision);
}

}  // namespace fluxnetes::workers
