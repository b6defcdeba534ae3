// Reads a resource graph from a recipe: a small GraphML graph in which each
// edge says how many of its target each of its source has (Fluxion's GRUG).
//
//   <node id="node"> ... <data key="type">node</data> ...
//   <edge source="rack" target="node"> <data key="multi_scale">18</data> ...
//
// Edges of other subsystems may link vertices that exist already: all of a
// type, or those with a common path.
#pragma once

#include <string_view>

#include "matcher/graph/resource_graph.h"
#include "matcher/readers/graph_error.h"

namespace fluxnetes::matcher {

// Throws GraphError.
ResourceGraph ReadGrug(std::string_view text,
                       std::int64_t max_vertices = kMaxVertices);

}  // namespace fluxnetes::matcher
