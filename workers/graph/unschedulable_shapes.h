// Gangs that were tried in a cycle and did not fit. A gang that needs at least
// as much, on the same nodes and for as long, does not fit either until
// something is freed. In a long line this spares most searches.
//
// Only gangs of one shape that do not look at other tasks and need no pool are
// noted; others do not fit if one of their shapes alone does not.
//
// Owned by one thread; for one moment in time.
#pragma once

#include <cstdint>
#include <vector>

#include "matcher/gangs/node_graph.h"

namespace fluxnetes::workers {

class UnschedulableShapes {
 public:
  explicit UnschedulableShapes(const matcher::NodeGraph& graph)
      : graph_(graph) {}

  // The eligible nodes of the gang outlive this.
  void Note(const matcher::Gang& gang);
  // Whether it is known that it does not fit.
  bool Cover(const matcher::Gang& gang);

 private:
  struct UnschedulableShape {
    matcher::TaskGroup task;
    matcher::Time duration = 0;
  };

  void ForgetIfGivenBack();
  static bool Covers(const UnschedulableShape& shape,
                     const matcher::TaskGroup& task, matcher::Time duration);

  const matcher::NodeGraph& graph_;
  std::uint64_t releases_ = 0;
  std::vector<UnschedulableShape> unschedulable_;  // none covers another
};

}  // namespace fluxnetes::workers
