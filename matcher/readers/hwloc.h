// A resource graph from what hwloc writes of a machine (XML of versions 1 and
// 2): cluster0 - node - socket - core and so on. Objects whose type is not
// wanted are left out, and what they contain stands at what contains them.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "matcher/graph/resource_graph.h"
#include "matcher/readers/graph_error.h"

namespace fluxnetes::matcher {

// `wanted` types; empty: all. Throws GraphError.
ResourceGraph ReadHwloc(std::string_view text,
                        const std::set<std::string>& wanted,
                        std::int64_t rank = 0);

}  // namespace fluxnetes::matcher
