// Reads and writes resource graphs, their parts and the resources of a job in
// the JSON graph format, as Fluxion does.
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

// Throws JgfError. A source is read in small pieces.
ResourceGraph ReadJgf(std::string_view text);
ResourceGraph ReadJgf(const TextSource& source);
// Adds what the graph lacks; vertices are identified by path and rank. Throws
// JgfError, in which case part of the text may have been added.
void AddJgf(std::string_view text, ResourceGraph& graph);
void AddJgf(const TextSource& source, ResourceGraph& graph);
// Finds in the graph the resources that the text gives to a job. With
// `shorthand`, a vertex that is taken whole includes everything below it.
// Throws JgfError.
HeldParts FindJgf(std::string_view text, const ResourceGraph& graph,
                  bool shorthand);

// Writes what a job got as one line; empty if it got nothing.
std::string WriteJgf(const ResourceGraph& graph, std::span<const Taken> taken);
// Writes the whole graph; ReadJgf() returns an equal one.
std::string WriteJgf(const ResourceGraph& graph);

// Writes what a job got for people, a line per vertex, leaves first:
//
//       ------core0[1:x]
//       ---node0[1:s]
std::string WriteSimple(const ResourceGraph& graph,
                        std::span<const Taken> taken);

}  // namespace fluxnetes::matcher
