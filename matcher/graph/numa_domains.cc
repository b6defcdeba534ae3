#include "matcher/graph/numa_domains.h"

#include <string>
#include <utility>

#include "matcher/graph/vertex_copy.h"

namespace fluxnetes::matcher {
namespace {

class NumaMaker {
 public:
  explicit NumaMaker(const ResourceGraph& graph) : graph_(graph) {}

  ResourceGraph Make() {
    if (graph_.root() != kNoVertex) {
      made_.SetRoot(Copy(graph_.root(), kNoVertex));
    }
    return std::move(made_);
  }

 private:
  bool IsNumaLeaf(VertexIndex v) const {
    return graph_.TypeName(v) == "numanode" && graph_.IsLeaf(v);
  }

  VertexIndex Add(const Vertex& vertex, VertexIndex above) {
    const VertexIndex v = made_.AddVertex(vertex);
    if (above != kNoVertex) made_.AddEdge(above, v);
    return v;
  }

  VertexIndex Copy(VertexIndex v, VertexIndex above) {
    Vertex vertex = CopyOf(graph_, v);
    vertex.uniq_id = made_.size();
    const VertexIndex copy = Add(vertex, above);
    VertexIndex into = copy;
    const VertexIndex domain = DomainBelow(v);
    if (domain != kNoVertex) {
      Vertex numa;
      numa.type = numa.basename = "numa";
      numa.id = graph_.id(domain);
      numa.name = "numa" + std::to_string(numa.id);
      numa.uniq_id = made_.size();
      numa.rank = graph_.rank(domain);
      numa.up = graph_.up(domain);
      into = Add(numa, copy);
    }
    for (EdgeIndex e = graph_.FirstOut(v); e != kNoEdge;
         e = graph_.NextOut(e)) {
      if (graph_.target(e) != domain) Copy(graph_.target(e), into);
    }
    return copy;
  }

  // Returns the one NUMA node among the children; kNoVertex if there are none,
  // or several.
  VertexIndex DomainBelow(VertexIndex v) const {
    VertexIndex domain = kNoVertex;
    for (EdgeIndex e = graph_.FirstOut(v); e != kNoEdge;
         e = graph_.NextOut(e)) {
      if (!IsNumaLeaf(graph_.target(e))) continue;
      if (domain != kNoVertex) return kNoVertex;
      domain = graph_.target(e);
    }
    return domain;
  }

  const ResourceGraph& graph_;
  ResourceGraph made_;
};

}  // namespace

// Recurses as deep as the graph, at most kMaxGraphDepth.
ResourceGraph WithNumaDomains(const ResourceGraph& graph) {
  return NumaMaker(graph).Make();
}

}  // namespace fluxnetes::matcher
