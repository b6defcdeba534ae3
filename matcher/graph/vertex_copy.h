// A vertex of a graph as it was added, to add it to another graph.
// Tests: tests/matcher/inside/structure_text_test.cc.
#pragma once

#include "matcher/graph/resource_graph.h"

namespace fluxnetes::matcher {

inline Vertex CopyOf(const ResourceGraph& graph, VertexIndex v) {
  Vertex vertex;
  vertex.type = graph.TypeName(v);
  vertex.basename = graph.Basename(v);
  vertex.name = graph.Name(v);
  vertex.unit = graph.Unit(v);
  vertex.id = graph.id(v);
  vertex.uniq_id = graph.uniq_id(v);
  vertex.rank = graph.rank(v);
  vertex.size = graph.units(v);
  vertex.up = graph.up(v);
  if (const Properties* of = graph.PropertiesOf(v)) vertex.properties = *of;
  return vertex;
}

}  // namespace fluxnetes::matcher
