// For any bytes ParseJobspec() returns a jobspec or throws JobspecError; the
// jobspec can be matched.
#include <cstdint>
#include <string_view>

#include "matcher/fluxion/matcher.h"
#include "matcher/jobspec/jobspec.h"

using namespace fluxnetes::matcher;

namespace {

ResourceGraph SmallCluster() {
  ResourceGraph graph;
  const auto add = [&](const char* type, VertexIndex parent) {
    Vertex vertex;
    vertex.type = vertex.basename = type;
    vertex.name = type + std::to_string(graph.size());
    vertex.id = vertex.uniq_id = graph.size();
    const VertexIndex v = graph.AddVertex(vertex);
    if (parent == kNoVertex) {
      graph.SetRoot(v);
    } else {
      graph.AddEdge(parent, v);
    }
    return v;
  };
  const VertexIndex cluster = add("cluster", kNoVertex);
  for (int i = 0; i < 3; ++i) {
    const VertexIndex node = add("node", cluster);
    for (int core = 0; core < 4; ++core) add("core", node);
    add("gpu", node);
  }
  return graph;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const Jobspec jobspec = ParseJobspec(text);
    Matcher matcher(SmallCluster(), {.policy = Policy::kLonode});
    matcher.Run(1, jobspec, MatchOp::kAllocateOrElseReserve, 0);
    matcher.Run(2, jobspec, MatchOp::kAllocateOrElseReserve, 0);
    matcher.Cancel(1);
  } catch (const JobspecError&) {
  }
  return 0;
}
