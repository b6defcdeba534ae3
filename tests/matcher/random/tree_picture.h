// Reads resource graphs and jobspecs from text.
//
//   cluster0/node0 core=4 memory=2*16    node[2]/slot[1]/core[2],gpu[1] for 60
//   cluster0/node1 core=4 +ssd down      node[1]! (exclusive)
//
// Vertices of a path are made once, in order; the words after the path are
// children of its last vertex: `memory=2*16` two of 16 units each; `+ssd` is a
// property of it.
#pragma once

#include <string>
#include <string_view>

#include "matcher/fluxion/matcher.h"
#include "matcher/graph/resource_graph.h"
#include "matcher/jobspec/jobspec.h"

namespace fluxnetes::matcher {

ResourceGraph Tree(std::string_view picture);
Jobspec Ask(std::string_view text);

// Returns "core0:x node0:s cluster0:s", with "at 60: " before it if it starts
// later than 0; or "busy", "unsatisfiable", "satisfiable", "invalid".
std::string Show(const ResourceGraph& graph, const Match& match);

}  // namespace fluxnetes::matcher
