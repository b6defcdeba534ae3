// Whatever the bytes are, ReadJgf() gives a graph or a JgfError, and the graph
// can be matched on and written.
#include <cstdint>
#include <string_view>

#include "matcher/jgf.h"

using namespace fluxnetes::matcher;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  static const Jobspec kJobspec = ParseJobspec(
      "{version: 1, tasks: [], attributes: null, resources: [{type: slot, "
      "count: 1, label: a, with: [{type: core, count: 1}]}]}");
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    Matcher matcher(ReadJgf(text), {.policy = MatchPolicy::Of(Policy::kFirst)});
    const Match match = matcher.Run(1, kJobspec, MatchOp::kAllocate, 0);
    WriteJgf(matcher.graph(), match.taken);
    WriteJgf(matcher.graph());
  } catch (const JgfError&) {
  }
  return 0;
}
