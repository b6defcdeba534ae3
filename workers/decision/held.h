// What is known to be held: a row of allocations with its placements.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "matcher/units.h"
#include "workers/decision/decision.h"

namespace fluxnetes::workers {

struct Held {
  GroupId group = 0;
  matcher::Time start = 0;
  std::optional<matcher::Time> end;
  std::vector<PlacedMember> members;
  std::string queue;  // gives a group without end its assumed duration
  // Of its group.
  std::string namespace_name = {};
  std::string account = {};
  std::int32_t priority = 0;
  std::int64_t grace = 30;  // as in PendingGroup
  bool evictable = true;    // it has all its places, and its pods may stay
  GroupId evicted_for = 0;  // 0: it is not evicted
  bool growth = false;      // as in PendingGroup
  std::int64_t size = 0;    // so many pods it has, also those that have ended
  bool stranger = false;    // of another schedule's queues
  bool external = false;    // as in PendingGroup: it is never evicted
  std::string name = {};    // of an external one
  bool operator==(const Held&) const = default;
};

}  // namespace fluxnetes::workers
