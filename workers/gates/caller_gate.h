// The gate for groups whose callers wait for the answer (external_groups.h). In
// the cycle that looks at them they get a placement, a reservation if the
// caller takes that, or are turned down:
//
//   placed                     ─▶ as any group
//   reserved for a start, and
//     its caller takes that    ─▶ it waits for its start, as any group
//   else, when the schedule has
//     nothing more to decide   ─▶ out of the schedule, and turned down
//
// The database still has what is here, as a group that has neither a
// placement nor a reservation, so nothing is lost with the process.
//
// Owned by one thread.
// Tests: tests/workers/requests/external_groups_pgtest.cc.
#pragma once

#include <map>

#include "workers/decision/decision.h"
#include "workers/schedule/schedule.h"

namespace fluxnetes::workers {

class CallerGate {
 public:
  // Notes a waiting group, if its caller waits.
  void Put(const PendingGroup& group);
  // Removes a group that waits no longer, or is to be read again.
  void Remove(GroupId group) { groups_.erase(group); }
  void Clear() { groups_.clear(); }

  // Adds to the decision which groups have a reservation that their callers
  // accept, and which are turned down.
  void Answer(Decision& decision, Schedule& schedule);

 private:
  std::map<GroupId, bool> groups_;  // and whether a reservation will do
};

}  // namespace fluxnetes::workers
