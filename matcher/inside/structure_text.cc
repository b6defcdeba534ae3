#include "matcher/inside/structure_text.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <unordered_set>
#include <utility>

#include "matcher/graph/numa_domains.h"
#include "matcher/inside/node_structure.h"
#include "matcher/readers/grug.h"
#include "matcher/readers/hwloc.h"
#include "matcher/readers/jgf.h"

namespace fluxnetes::matcher {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

std::string_view WithoutSpaceAround(std::string_view text) {
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(kSpace) + 1 - first);
}

// Returns the name of the first element of an XML text; empty if there is none.
std::string_view FirstElement(std::string_view text) {
  while (true) {
    const auto open = text.find('<');
    if (open == std::string_view::npos) return "";
    text.remove_prefix(open + 1);
    if (!text.starts_with('!') && !text.starts_with('?')) {
      return text.substr(0, text.find_first_of(" \t\r\n/>"));
    }
    const std::string_view close = text.starts_with("!--") ? "-->" : ">";
    const auto end = text.find(close);
    if (end == std::string_view::npos) return "";
    text.remove_prefix(end + close.size());
  }
}

// Copies what hwloc shows, in terms of this scheduler's requests.
class CpuView {
 public:
  explicit CpuView(const ResourceGraph& graph) : graph_(graph) {
    for (VertexIndex v = 0; v < graph.size(); ++v) {
      int threads = 0;
      for (EdgeIndex e = graph.FirstOut(v); e != kNoEdge;
           e = graph.NextOut(e)) {
        threads += graph.TypeName(graph.target(e)) == "pu" ? 1 : 0;
      }
      if (graph.type(v) == types::kCore && threads > 1) threads_ = true;
    }
  }

  ResourceGraph Make() {
    Copy(graph_.root(), kNoVertex);
    made_.SetRoot(0);
    return std::move(made_);
  }

 private:
  bool IsCpu(VertexIndex v) const {
    return graph_.TypeName(v) == (threads_ ? "pu" : "core");
  }
  bool IsLeftOut(VertexIndex v) const {
    const std::string& type = graph_.TypeName(v);
    return type == "cache" || type == "group" || type == "numanode" ||
           type == "pu" || type == "core";
  }

  VertexIndex Add(VertexIndex v, VertexIndex above) {
    Vertex vertex;
    const bool cpu = IsCpu(v);
    vertex.type = cpu ? "core" : graph_.TypeName(v);
    vertex.basename = cpu ? "core" : graph_.Basename(v);
    vertex.id = graph_.id(v);
    vertex.name = cpu ? "core" + std::to_string(vertex.id) : graph_.Name(v);
    vertex.uniq_id = made_.size();
    vertex.size = graph_.units(v);
    const VertexIndex added = made_.AddVertex(vertex);
    if (above != kNoVertex) made_.AddEdge(above, added);
    return added;
  }

  // Recurses as deep as the graph, at most kMaxGraphDepth.
  void Copy(VertexIndex v, VertexIndex above) {
    if (IsCpu(v) || !IsLeftOut(v)) {
      // hwloc shows a device once for each library that knows it.
      const bool again =
          graph_.type(v) == types::kGpu &&
          !gpus_.insert(std::to_string(above) + "/" + graph_.Name(v)).second;
      if (again) return;
      above = Add(v, above);
    }
    for (EdgeIndex e = graph_.FirstOut(v); e != kNoEdge;
         e = graph_.NextOut(e)) {
      Copy(graph_.target(e), above);
    }
  }

  const ResourceGraph& graph_;
  bool threads_ = false;  // there are cores with several
  std::unordered_set<std::string> gpus_;
  ResourceGraph made_;
};

ResourceGraph ReadXml(std::string_view text) {
  const std::string_view element = FirstElement(text);
  if (element == "graphml") return ReadGrug(text, 2 * kMaxInsideVertices);
  if (element == "topology") {
    return CpuView(WithNumaDomains(ReadHwloc(text, {}))).Make();
  }
  throw StructureError(fmt::format(
      "the first element is <{}>; <topology> (hwloc) or <graphml> (a recipe) "
      "is needed",
      element));
}

}  // namespace

ResourceGraph ReadStructure(std::string_view text) {
  if (text.size() > kMaxStructureBytes) {
    throw StructureError(fmt::format("the text has {} bytes; at most {} do",
                                     text.size(), kMaxStructureBytes));
  }
  const std::string_view inner = WithoutSpaceAround(text);
  if (inner.empty()) throw StructureError("the text is empty");
  try {
    if (inner[0] != '{' && inner[0] != '<') return ReadShortStructure(inner);
    // The whole text, for the lines of messages.
    const ResourceGraph graph = inner[0] == '{' ? ReadJgf(text) : ReadXml(text);
    const NodeStructure structure(graph, NodeStructure::NodeOf(graph));
    return structure.graph();
  } catch (const GraphError& error) {
    throw StructureError(error.what());
  } catch (const std::invalid_argument& error) {
    throw StructureError(error.what());
  }
}

}  // namespace fluxnetes::matcher
