// For any bytes ReadShortStructure() returns a graph that is the inside of a
// node, or throws StructureError.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "matcher/inside/node_structure.h"
#include "matcher/inside/short_structure.h"

using namespace fluxnetes::matcher;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const ResourceGraph graph = ReadShortStructure(text);
    const NodeStructure structure(graph, NodeStructure::NodeOf(graph));
    if (structure.size() != graph.size()) std::abort();
  } catch (const StructureError&) {
  }
  return 0;
}
