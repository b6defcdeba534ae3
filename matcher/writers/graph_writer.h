// The resource graph as other programs read it: all vertices that are not
// detached and the edges between them, of all subsystems.
//
//   GraphML   for networkx, Gephi, yEd and the like. What is known of a vertex
//             is in data named type, basename, name, unit, id, uniq_id, rank,
//             size, status, path and property:KEY; of an edge its subsystem.
//             (It is no recipe, as ReadGrug() wants it.)
//   dot       for Graphviz. Edges that are not of containment are dashed and
//             say their subsystem, vertices that are down are grey.
#pragma once

#include <string>

#include "matcher/graph/resource_graph.h"

namespace fluxnetes::matcher {

std::string WriteGraphMl(const ResourceGraph& graph);
std::string WriteDot(const ResourceGraph& graph);

}  // namespace fluxnetes::matcher
