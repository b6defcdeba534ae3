// The groups of a schedule that wait, one after the other as it is their turn:
// first those at the front of their lines, each of the others when who is
// before it in its line has been looked at. Those that are promised something
// stand where they stood then; the others where their account stands by now,
// so one may fall behind as it waits for its turn.
//
// Lives no longer than a look at them. Owned by one thread.
#pragma once

#include <vector>

#include "workers/schedule/schedule_state.h"

namespace fluxnetes::workers {

class GroupTurns {
 public:
  // With groups that stand where they should by now.
  explicit GroupTurns(Schedule::State& state,
                      std::vector<const WaitingGroup*> groups = {});

  void Push(const WaitingGroup* group);
  // Whose turn it is; null: nobody is left.
  const WaitingGroup* Pop();

 private:
  // Whether others came to stand before the group since it was put there.
  bool Falls(const WaitingGroup& group);

  Schedule::State& state_;
  std::vector<const WaitingGroup*> heap_;  // the earliest on top
};

// Who is next in the line of the group; null: nobody.
const WaitingGroup* NextInLine(const WaitingGroup& group);

}  // namespace fluxnetes::workers
