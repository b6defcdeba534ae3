// Why a gang does not fit, in numbers that can be put into words for the people
// whose tasks they are.
//
// Each group is looked at by itself, one task of it on each node of the graph,
// as if no other task of the gang had a place. What stands in its way there is
// found in the order of the enum, resources in the order of the graph; a node
// counts for the first in `first`, and in `alone` if nothing else does.
#pragma once

#include <cstdint>
#include <vector>

namespace fluxnetes::matcher {

enum class Obstacle {
  kClosed,        // takes nothing new
  kNotEligible,   // TaskGroup::eligible
  kLabels,        // node selector or affinity
  kTaints,        // not tolerated
  kTogether,      // where the gang, which must be together, cannot be
  kResource,      // too little is free, at some time of the gang's
  kHostPorts,     // in use
  kAffinity,      // none of the tasks that it must be near is there
  kAntiAffinity,  // of its own, or of a task that is there
  kSpread,        // one more would be too many
};

struct Exclusion {
  Obstacle obstacle = Obstacle::kClosed;
  int resource = -1;  // of kResource
  int all = 0;        // nodes that it excludes
  int first = 0;      // of them, those that nothing before it excludes
  int alone = 0;      // those that nothing else excludes
};

struct GroupExplanation {
  int open_to_one = 0;  // nodes that would take one task now
  // What excludes any node, in order. All `first` and `open_to_one` sum up to
  // the nodes of the graph.
  std::vector<Exclusion> exclusions;
  int fit = 0;  // of its tasks, in the largest part of the gang that fits now
};

struct Explanation {
  std::vector<GroupExplanation> groups;
  int fit = 0;  // tasks in the largest part that was found
};

}  // namespace fluxnetes::matcher
