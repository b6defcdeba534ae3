#include "matcher/inside/node_structure.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "matcher/graph/vertex_copy.h"

namespace fluxnetes::matcher {
namespace {

// Calls `use` with the vertices below `top`, in pre-order, and with the number
// of their parent in that order; `top` is 0. Throws if they are no tree.
template <typename Use>
void ForEachInPreOrder(const ResourceGraph& graph, VertexIndex top,
                       const Use& use) {
  struct Step {
    VertexIndex vertex;
    int parent;
  };
  std::vector<Step> open = {{top, -1}};
  std::vector<Step> children;
  std::vector<char> seen(graph.size());
  for (int number = 0; !open.empty(); ++number) {
    const Step step = open.back();
    open.pop_back();
    if (std::exchange(seen[step.vertex], 1) != 0) {
      throw std::invalid_argument(graph.Name(step.vertex) +
                                  " is in two vertices; the inside of a node "
                                  "must be a tree");
    }
    if (number == kMaxInsideVertices) {
      throw std::invalid_argument(
          fmt::format("the node has more than {} vertices", number));
    }
    use(step.vertex, step.parent);
    children.clear();
    for (EdgeIndex e = graph.FirstOut(step.vertex); e != kNoEdge;
         e = graph.NextOut(e)) {
      children.push_back({graph.target(e), number});
    }
    open.insert(open.end(), children.rbegin(), children.rend());
  }
}

}  // namespace

VertexIndex NodeStructure::NodeOf(const ResourceGraph& graph) {
  if (graph.root() == kNoVertex) {
    throw std::invalid_argument("the graph has no root");
  }
  VertexIndex node = kNoVertex;
  for (VertexIndex v = 0; v < graph.size(); ++v) {
    if (graph.type(v) != types::kNode || graph.detached(v)) continue;
    if (node != kNoVertex) {
      throw std::invalid_argument(
          fmt::format("the graph has several nodes, such as {} and {}; the "
                      "inside of one node is needed",
                      graph.Name(node), graph.Name(v)));
    }
    node = v;
  }
  return node == kNoVertex ? graph.root() : node;
}

std::string NodeStructure::SignatureOf(const ResourceGraph& graph,
                                       VertexIndex top) {
  std::string text;
  const auto add = [&text](std::string_view part) {
    text.append(std::to_string(part.size())).append(":").append(part);
  };
  ForEachInPreOrder(graph, top, [&](VertexIndex v, int parent) {
    const bool is_node = v == top;
    text += fmt::format("\n{} {} {} {} ", parent, is_node ? -1 : graph.id(v),
                        graph.units(v), graph.up(v) ? 1 : 0);
    if (!is_node) {
      add(graph.TypeName(v));
      add(graph.Basename(v));
      add(graph.Name(v));
    }
    add(graph.Unit(v));
    const Properties* properties = graph.PropertiesOf(v);
    if (properties == nullptr) return;
    for (const auto& [key, value] : *properties) {
      add(key);
      add(value);
    }
  });
  return text;
}

NodeStructure::NodeStructure(const ResourceGraph& graph, VertexIndex top) {
  ForEachInPreOrder(graph, top, [&](VertexIndex v, int parent) {
    Vertex vertex;
    const bool is_node = v == top;
    vertex.type = is_node ? "node" : graph.TypeName(v);
    vertex.basename = is_node ? "node" : graph.Basename(v);
    vertex.name = is_node ? "node" : graph.Name(v);
    vertex.unit = graph.Unit(v);
    vertex.id = is_node ? -1 : graph.id(v);
    vertex.uniq_id = graph_.size();
    vertex.size = graph.units(v);
    vertex.up = graph.up(v);
    if (const Properties* of = graph.PropertiesOf(v)) vertex.properties = *of;
    const VertexIndex added = graph_.AddVertex(vertex);
    if (parent >= 0) graph_.AddEdge(parent, added);
    parents_.push_back(parent < 0 ? kNoVertex : parent);
  });
  graph_.SetRoot(0);
  graph_.CheckShape();
  ends_.resize(size());
  for (VertexIndex v = size() - 1; v >= 0; --v) {
    ends_[v] = std::max(ends_[v], v + 1);
    if (v > 0) ends_[parents_[v]] = std::max(ends_[parents_[v]], ends_[v]);
  }
  for (VertexIndex v = 1; v < size(); ++v) {
    if (graph_.Name(v).empty()) {
      throw std::invalid_argument("a vertex below \"" + Path(parents_[v]) +
                                  "\" has no name");
    }
    std::string path = Path(v);
    if (!by_path_.try_emplace(path, v).second) {
      throw std::invalid_argument("two vertices have the path " + path);
    }
    const auto [name, is_new] = by_name_.try_emplace(graph_.Name(v), v);
    if (!is_new) name->second = kSeveral;
  }
}

std::string NodeStructure::Path(VertexIndex v) const {
  if (v == 0) return "";
  const std::string above = Path(parents_[v]);
  return above.empty() ? graph_.Name(v) : above + "/" + graph_.Name(v);
}

std::optional<VertexIndex> NodeStructure::Find(std::string_view path) const {
  if (path.empty()) return 0;
  const auto found = by_path_.find(std::string(path));
  if (found != by_path_.end()) return found->second;
  const auto slash = path.rfind('/');
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  const auto named = by_name_.find(path);
  if (named == by_name_.end() || named->second == kSeveral) return std::nullopt;
  return named->second;
}

void NodeStructure::InsertBelow(const std::vector<VertexIndex>& vertices,
                                VertexMask& mask) const {
  for (const VertexIndex v : vertices) {
    for (VertexIndex below = v; below < ends_[v]; ++below) mask.Insert(below);
  }
}

ResourceGraph NodeStructure::ViewOf(
    const std::vector<std::string>& types) const {
  ResourceGraph view;
  std::vector<VertexIndex> nearest(size());  // at or above each vertex
  for (VertexIndex v = 0; v < size(); ++v) {
    Vertex vertex = CopyOf(graph_, v);
    vertex.rank = Vertex{}.rank;
    vertex.up = vertex.up && (v == 0 || view.up(parents_[v]));
    view.AddVertex(vertex);
    const bool kept =
        std::find(types.begin(), types.end(), vertex.type) != types.end();
    if (v == 0) continue;
    nearest[v] = kept ? v : nearest[parents_[v]];
    if (kept) view.AddEdge(nearest[parents_[v]], v);
  }
  view.SetRoot(0);
  return view;
}

}  // namespace fluxnetes::matcher
