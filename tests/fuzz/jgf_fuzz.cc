// For any bytes ReadJgf() returns a graph or throws JgfError; the graph can be
// matched on, written, grown by the same text and restored from it, in full and
// by shorthand.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "matcher/readers/jgf.h"
#include "matcher/writers/graph_writer.h"

using namespace fluxnetes::matcher;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  static const Jobspec kJobspec = ParseJobspec(
      "{version: 1, tasks: [], attributes: null, resources: [{type: slot, "
      "count: 1, label: a, with: [{type: core, count: 1}]}]}");
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    Matcher matcher(ReadJgf(text), {.policy = Policy::kFirst});
    const Match match = matcher.Run(1, kJobspec, MatchOp::kAllocate, 0);
    WriteJgf(matcher.graph(), match.taken);
    WriteJgf(matcher.graph());
    WriteGraphMl(matcher.graph());
    WriteDot(matcher.graph());
    matcher.Cancel(1);
    matcher.Grow([&](ResourceGraph& graph) { AddJgf(text, graph); });
    for (const bool shorthand : {false, true}) {
      const HeldParts held = FindJgf(text, matcher.graph(), shorthand);
      const bool found = matcher.Restore(2, held, false, 0, 10).found();
      if (found != matcher.Cancel(2)) std::abort();
    }
  } catch (const JgfError&) {
  }
  return 0;
}
