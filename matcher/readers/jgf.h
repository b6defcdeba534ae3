// The resource graph, parts of it and what a job got of it in the JSON graph
// format, as Fluxion reads and writes them.
//
//   {"graph": {"nodes": [{"id": "0", "metadata": {"type": "cluster",
//                         "paths": {"containment": "/cluster0"}}}, ...],
//              "edges": [{"source": "0", "target": "1"}, ...]}}
//
// Edges from a child back to its parent, as Fluence writes them, are accepted
// and ignored.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "matcher/fluxion/matcher.h"
#include "matcher/graph/resource_graph.h"
#include "matcher/readers/graph_error.h"
#include "matcher/readers/text_source.h"

namespace fluxnetes::matcher {

using JgfError = GraphError;

// Throws JgfError. By a source, a text is read in small pieces.
ResourceGraph ReadJgf(std::string_view text);
ResourceGraph ReadJgf(const TextSource& source);
// Adds what the graph does not have yet; vertices are known by path and rank.
// Throws JgfError; the graph may have got some of it then.
void AddJgf(std::string_view text, ResourceGraph& graph);
void AddJgf(const TextSource& source, ResourceGraph& graph);
// Finds in the graph what a job is said to have. By shorthand, what stands
// below a vertex that is taken whole is taken too. Throws JgfError.
Held FindJgf(std::string_view text, const ResourceGraph& graph, bool shorthand);

// What a job got, one line; empty if it is nothing.
std::string WriteJgf(const ResourceGraph& graph, std::span<const Taken> taken);
// The whole graph: ReadJgf() gives the same one.
std::string WriteJgf(const ResourceGraph& graph);

// For people, a line per vertex, leaves first:
//
//       ------core0[1:x]
//       ---node0[1:s]
std::string WriteSimple(const ResourceGraph& graph,
                        std::span<const Taken> taken);

}  // namespace fluxnetes::matcher
