// hwloc shows a NUMA node as a leaf beside the objects that belong to it. This
// makes it a domain, a vertex of type "numa" that contains them, so that a task
// can be kept in one:
//
//   socket0 - numanode0            socket0 - numa0 - core0
//           - core0           ->                   - gpu0
//           - gpu0
//
// Where several stand side by side, nothing says what belongs to which, and
// they stay as they are.
//
// Tests: tests/matcher/inside/node_structure_test.cc.
#pragma once

#include "matcher/graph/resource_graph.h"

namespace fluxnetes::matcher {

ResourceGraph WithNumaDomains(const ResourceGraph& graph);

}  // namespace fluxnetes::matcher
