// Writes the resource graph for other programs: all vertices that are not
// detached and the edges between them, of all subsystems.
//
//   GraphML   for networkx, Gephi, yEd and the like. A vertex has data named
//             type, basename, name, unit, id, uniq_id, rank, size, status,
//             path and property:KEY; an edge has its subsystem. (This is not
//             a recipe for ReadGrug().)
//   dot       for Graphviz. Edges that are not of containment are dashed and
//             labelled with their subsystem; vertices that are down are grey.
#pragma once

#include <string>

#include "matcher/graph/resource_graph.h"

namespace fluxnetes::matcher {

std::string WriteGraphMl(const ResourceGraph& graph);
std::string WriteDot(const ResourceGraph& graph);

}  // namespace fluxnetes::matcher
