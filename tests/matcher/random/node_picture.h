// Writes node graphs and gangs as text.
//
//   node0 cpu=4 mem=8            2x cpu=1 mem=2 + 1x cpu=4 for 60
//   node1 cpu=2 mem=8 id=7
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "matcher/gangs/node_graph.h"

namespace fluxnetes::matcher {

// Resources are cpu, mem and gpu, in this order.
NodeGraph Nodes(std::string_view picture);
Gang Tasks(std::string_view text);

// Returns "node0 node0 node1", with "at 60: " before it if it starts later than
// `now`; or "not now", "never", "no time".
std::string Show(const NodeGraph& graph, const MatchResult& result,
                 Time now = 0);

}  // namespace fluxnetes::matcher
