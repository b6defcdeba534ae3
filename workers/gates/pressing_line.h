// The waiting groups whose callers wait for the answer (external_groups.h): in
// the cycle that has seen them they get a place, a reservation if that will do,
// or are turned down.
//
//   placed                     ─▶ as any group
//   reserved for a time, and
//     its caller takes that    ─▶ it waits for its time, as any group
//   else, when the schedule has
//     nothing more to decide   ─▶ out of the schedule, and turned down
//
// What is here is in the database: a group that is neither placed nor promised.
// So nothing is lost with the process.
//
// Owned by one thread.
#pragma once

#include <map>

#include "workers/decision/decision.h"
#include "workers/schedule/schedule.h"

namespace fluxnetes::workers {

class PressingLine {
 public:
  // The group waits; nothing if its caller does not.
  void Put(const PendingGroup& group);
  // It waits no longer, or is to be read again.
  void Remove(GroupId group) { groups_.erase(group); }
  void Clear() { groups_.clear(); }

  // Says in the decision who is promised something, and who is turned down.
  void Answer(Decision& decision, Schedule& schedule);

 private:
  std::map<GroupId, bool> groups_;  // and whether a promise will do
};

}  // namespace fluxnetes::workers
