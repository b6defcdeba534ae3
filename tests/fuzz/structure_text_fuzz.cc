// For any bytes ReadStructure() returns a node with what is inside of it, or
// throws StructureError.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "matcher/inside/node_structure.h"
#include "matcher/inside/structure_text.h"

using namespace fluxnetes::matcher;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const ResourceGraph graph = ReadStructure(text);
    if (graph.type(graph.root()) != types::kNode) std::abort();
    const NodeStructure structure(graph, graph.root());
    if (structure.size() != graph.size()) std::abort();
  } catch (const StructureError&) {
  }
  return 0;
}
