// A node of a JGF document, with what it leaves out filled in.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "matcher/graph/resource_graph.h"
#include "matcher/readers/json_stream.h"

namespace fluxnetes::matcher {

struct JgfVertex {
  std::string outer_id;
  Vertex vertex;
  bool exclusive = false;
  // By subsystem, in the order of their names.
  std::vector<std::pair<std::string, std::string>> paths;
};

// Into one that may have been another before. Throws GraphError.
void ReadJgfVertex(JsonStream& in, const JsonPath& node, JgfVertex& read);

}  // namespace fluxnetes::matcher
