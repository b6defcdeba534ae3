// The vertices that a task holds in a node, as a short text for a row:
//
//   socket0/numa1/core[0-7,12] socket0/numa1/gpu0 socket1/
//
// Paths are relative to the node. Neighbours that differ in their number alone
// share brackets. A path that ends in a slash stands for the vertex and all
// below it; "/" is the whole node. In names, other characters than letters,
// digits, '.', ':', '_' and '-' are written as %XX.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "matcher/graph/resource_graph.h"
#include "matcher/inside/node_structure.h"

namespace fluxnetes::matcher {

// A text that is not such a list. what() gives the place and the fault.
class PartsError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr std::size_t kMaxPartsBytes = 1 << 16;

// `vertices` are in order of index, each once.
std::string WriteParts(const NodeStructure& structure,
                       const std::vector<VertexIndex>& vertices);

struct InsideParts {
  std::vector<VertexIndex> vertices;  // in order of index, each once
  bool all_known = true;  // false: the structure lacks some of the paths
};

// Throws PartsError if the text is malformed, or has more than
// kMaxInsideVertices. Without a structure it is checked alone, and nothing in
// it is known.
InsideParts ReadParts(std::string_view text, const NodeStructure* structure);

}  // namespace fluxnetes::matcher
