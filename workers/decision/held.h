// An allocation: a row of allocations with its placements and the data of its
// group.
// Tests: tests/workers/schedule/schedule_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "matcher/units.h"
#include "workers/decision/decision.h"

namespace fluxnetes::workers {

// The queue gives a group without end its assumed duration. `name` is that of
// an external group; others have none here.
struct Held : PreemptionTerms, GroupNames {
  GroupId group = 0;
  matcher::Time start = 0;
  std::optional<matcher::Time> end;
  std::vector<PlacedMember> members;
  bool evictable = true;  // its pods are all placed, none has succeeded, and it
                          // is not cancelled
  GroupId evicted_for = 0;  // the preemptor; 0: it is not evicted
  std::int64_t size = 0;    // number of its pods, including ended ones
  Sharing sharing = {};
  bool of_another_component = false;  // of a queue of another component
  cluster::PoolAmounts pools = {};
  bool operator==(const Held&) const = default;
};

}  // namespace fluxnetes::workers
