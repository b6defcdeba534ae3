// For any bytes ReadRv1exec() returns a graph or throws GraphError; allocations
// can be restored from the same text and released.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "matcher/fluxion/matcher.h"
#include "matcher/readers/rv1exec.h"

using namespace fluxnetes::matcher;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (size > 4'096) return 0;
  try {
    ResourceGraph graph = ReadRv1exec(text);
    if (graph.size() > 5'000) return 0;
    Matcher matcher(std::move(graph), {.policy = *ParsePolicy("low")});
    const HeldParts held = FindRv1exec(text, matcher.graph());
    const Match match = matcher.Restore(1, held, false, 0, 10);
    if (match.found() != matcher.Cancel(1)) std::abort();
    matcher.CancelRanks(1, RanksOfRv1exec(text));
  } catch (const GraphError&) {
  }
  return 0;
}
