// For any bytes ReadGrug() returns a graph or throws GraphError; the graph can
// be matched on.
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "matcher/fluxion/matcher.h"
#include "matcher/readers/grug.h"
#include "matcher/readers/jgf.h"

using namespace fluxnetes::matcher;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  static const Jobspec kJobspec = ParseJobspec(
      "{version: 1, tasks: [], attributes: null, resources: [{type: slot, "
      "count: 1, label: a, with: [{type: core, count: 1}]}]}");
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    ResourceGraph graph = ReadGrug(text, 2'000);
    if (graph.root() == kNoVertex) return 0;
    Matcher matcher(std::move(graph), {.policy = *ParsePolicy("first")});
    const Match match = matcher.Run(1, kJobspec, MatchOp::kAllocate, 0);
    WriteJgf(matcher.graph(), match.taken);
  } catch (const GraphError&) {
  }
  return 0;
}
