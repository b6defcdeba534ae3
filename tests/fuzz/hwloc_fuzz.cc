// For any bytes ReadHwloc() returns a graph or throws GraphError; the graph can
// be written.
#include <cstdint>
#include <string_view>

#include "matcher/readers/hwloc.h"
#include "matcher/readers/jgf.h"

using namespace fluxnetes::matcher;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    WriteJgf(ReadHwloc(text, {}));
    WriteJgf(ReadHwloc(text, {"cluster", "node", "core", "gpu"}));
  } catch (const GraphError&) {
  }
  return 0;
}
