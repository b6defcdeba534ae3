// The reservations reported so far, so that the next decision reports only
// differences; also those that an earlier schedule reported for groups not yet
// added here.
//
// Owned by one thread.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "workers/decision/decision.h"

namespace fluxnetes::workers {

class ReportedReservations {
 public:
  // Notes what was reported of the group. False: that is known.
  bool Note(const Reservation& reservation);
  // The group has left, or started: nothing is reported of it any more. False:
  // nothing was.
  bool Drop(GroupId group) { return reported_.erase(group) > 0; }
  // The same for a group that whoever removes it may have dropped from the
  // records, too: the next decision takes it back whatever follows.
  void TakeBack(GroupId group);
  // Those that are to be taken back by now: the ones of TakeBack().
  std::vector<GroupId> TakeDropped() { return std::exchange(dropped_, {}); }
  // Drops all others of which `stands` is false, and adds them to `groups`.
  void DropOthers(const std::function<bool(GroupId)>& stands,
                  std::vector<GroupId>& groups);

  // What an earlier schedule had reported of a group that will be added.
  void Expect(const Reservation& reservation);
  // Keeps what was reported of the group for when it is added again.
  void ExpectAgain(GroupId group);
  std::optional<Reservation> TakeExpected(GroupId group);
  // Groups that have not been added by now never will be: what was reported of
  // them is taken back. False: there are none.
  bool ForgetExpected();

 private:
  std::map<GroupId, Reservation> reported_;
  std::map<GroupId, Reservation> expected_;
  std::vector<GroupId> dropped_;
};

}  // namespace fluxnetes::workers
