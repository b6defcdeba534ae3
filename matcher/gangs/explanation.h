// Why a gang does not fit, in numbers from which messages to users are made.
//
// Each group is examined by itself: one of its tasks on each node of the graph,
// as if no other task of the gang were placed. Obstacles on a node are found in
// the order of the enum, resources in the order of the graph. A node counts in
// `first` of its first obstacle, and in `alone` if it has only one.
// Tests: tests/matcher/rules/task_rules_test.cc.
#pragma once

#include <cstdint>
#include <vector>

namespace fluxnetes::matcher {

enum class Obstacle {
  kClosed,       // the node takes nothing new
  kNotEligible,  // excluded by TaskGroup::eligible
  kLabels,       // node selector or affinity does not match
  kTaints,       // a taint is not tolerated
  kTogether,     // outside of the domains where the gang must be
  kSeats,        // of others, if it needs whole nodes; or held whole by others
  kResource,     // too little is free at some time of the gang's duration
  kUnknownInside,  // what it has inside is not known
  kInside,         // its inside has no place for the task
  kDevices,        // the devices of its claims are not free there
  kHostPorts,      // a host port is in use
  kAffinity,       // no task there matches its affinity
  kAntiAffinity,   // its own, or that of a task there
  kSpread,         // one more task would break a constraint
};

struct Exclusion {
  Obstacle obstacle = Obstacle::kClosed;
  int resource = -1;  // if the obstacle is kResource
  int all = 0;        // nodes that have the obstacle
  int first = 0;      // of these, nodes that have it first
  int alone = 0;      // of these, nodes that have no other
};

struct GroupExplanation {
  int open_to_one = 0;  // nodes that would take one task now
  // The obstacles of any node, in order. `open_to_one` and all `first` add up
  // to the number of nodes in the graph.
  std::vector<Exclusion> exclusions;
  // tasks of the group in the largest part of the gang that fits now
  int fit = 0;
};

struct Explanation {
  std::vector<GroupExplanation> groups;
  int fit = 0;  // tasks in the largest part that was found to fit
  // For each level that the gang requires: how many values have room for its
  // number of tasks, where those inside of it are counted (a value for twice as
  // many counts twice). Empty if it requires none, or fits.
  std::vector<int> values = {};
};

}  // namespace fluxnetes::matcher
