// A node of a JGF document, with defaults for what it leaves out.
// Tests: tests/matcher/readers/jgf_test.cc.
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

// Reads into `read`, which may hold another node. Throws GraphError.
void ReadJgfVertex(JsonStream& in, const JsonPath& node, JgfVertex& read);

}  // namespace fluxnetes::matcher
