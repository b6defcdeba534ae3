// Reads a resource graph from the XML that hwloc writes of a machine (versions
// 1 and 2): cluster0 - node - socket - core and so on. Objects of types that
// are not wanted are left out; what they contain moves up to what contains
// them.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "matcher/graph/resource_graph.h"
#include "matcher/readers/graph_error.h"

namespace fluxnetes::matcher {

// `wanted`: the types to keep; empty: all. Throws GraphError.
ResourceGraph ReadHwloc(std::string_view text,
                        const std::set<std::string>& wanted,
                        std::int64_t rank = 0);

}  // namespace fluxnetes::matcher
