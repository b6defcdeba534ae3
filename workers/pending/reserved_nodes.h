// The nodes that are kept for a blocked group: from a start on (a reservation),
// or until they are empty enough, where no start is known (a drain set).
//
// A value.
// Tests: tests/workers/pending/blocked_group_test.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "matcher/gangs/gang.h"
#include "matcher/nodes/room_log.h"

namespace fluxnetes::workers {

struct ReservedNodes {
  std::optional<matcher::Time> start;  // none: a drain set
  // Each once, in order; with the pools that the group needs.
  std::vector<matcher::NodeIndex> nodes;
  std::vector<matcher::NodeIndex> places;  // of the tasks, if there is a start
  // A drain set of nodes that were reserved for a start that has passed: other
  // groups have outlived their end there, and may go at any moment.
  bool overdue = false;
  // What the tasks take inside of their nodes; empty if none takes anything.
  std::vector<std::string> parts = {};
  std::vector<std::string> devices = {};  // of the tasks, likewise
  bool operator==(const ReservedNodes&) const = default;
};

// The nodes sorted, each once.
std::vector<matcher::NodeIndex> EachOnce(std::vector<matcher::NodeIndex> nodes);

// A reservation of these places, one for each task of the gang, and of its
// pools.
ReservedNodes ReservedFrom(matcher::Placement placement,
                           const matcher::Gang& gang);

// The nodes with the pools of the gang, each once, in order.
std::vector<matcher::NodeIndex> WithPools(std::vector<matcher::NodeIndex> nodes,
                                          const matcher::Gang& gang);

// The room that the gang's reservation or drain set takes, and gives back when
// it is given up. Without places the amounts are unknown.
matcher::RoomChange RoomOf(const ReservedNodes& reserved,
                           const matcher::Gang& gang);

}  // namespace fluxnetes::workers
