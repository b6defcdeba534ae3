// The waiting groups of a schedule in pending order, each when its turn comes:
// first the fronts of the lines, every other group after the one ahead of it in
// its line. Blocked groups keep the standing that they had when they became so;
// the others have the standing of their account by now, so one may fall behind
// while it waits for its turn.
//
// Lives for one cycle. Owned by one thread.
// Tests: tests/workers/schedule/schedule_order_test.cc.
#pragma once

#include <vector>

#include "workers/schedule/schedule_state.h"

namespace fluxnetes::workers {

class GroupTurns {
 public:
  // Begins with these groups, whose standing is that of now.
  explicit GroupTurns(Schedule::State& state,
                      std::vector<const WaitingGroup*> groups = {});

  void Push(const WaitingGroup* group);
  // Returns the group whose turn it is; null: none is left.
  const WaitingGroup* Pop();

 private:
  // Whether other groups have come ahead of the group since it was pushed.
  bool Falls(const WaitingGroup& group);

  Schedule::State& state_;
  std::vector<const WaitingGroup*> heap_;  // the earliest on top
};

// Returns the group behind this one in its line; null: there is none.
const WaitingGroup* NextInLine(const WaitingGroup& group);

}  // namespace fluxnetes::workers
