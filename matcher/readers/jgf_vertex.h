// A node of a JGF document, with what it leaves out filled in.
//
// Only for sources of this folder: it includes nlohmann_json.
#pragma once

#include <map>
#include <string>

#include "matcher/readers/json_place.h"
#include "matcher/resource_graph.h"

namespace fluxnetes::matcher {

struct JgfVertex {
  std::string outer_id;
  Vertex vertex;
  bool exclusive = false;
  std::map<std::string, std::string> paths;  // by subsystem
};

// Throws GraphError.
JgfVertex ReadJgfVertex(const JsonPlace& node);

}  // namespace fluxnetes::matcher
