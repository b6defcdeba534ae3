#include "matcher/readers/grug.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "matcher/readers/grug_recipe.h"

namespace fluxnetes::matcher {
namespace {

// Returns the path without that many names at its end.
std::string Prefix(const std::string& path, std::int64_t up) {
  if (up >= std::count(path.begin(), path.end(), '/')) return "";
  std::string prefix = path;
  for (; up > 0; --up) prefix.resize(prefix.rfind('/'));
  return prefix + "/";
}

class Generator {
 public:
  Generator(const GrugRecipe& recipe, std::int64_t max_vertices)
      : recipe_(recipe),
        max_vertices_(max_vertices),
        made_(recipe.vertices.size()) {}

  ResourceGraph Generate();

 private:
  void WalkFrom(int start);
  void MakeRoot(int v);
  void Follow(const GrugEdge& edge);
  void Multiply(const GrugEdge& edge);
  void Associate(const GrugEdge& edge);
  VertexIndex Make(const GrugVertex& of, std::int64_t id);
  std::int64_t IdOf(const GrugEdge& edge, std::int64_t j, std::int64_t i) const;
  std::vector<VertexIndex> OfType(const std::string& type) const;

  const GrugRecipe& recipe_;
  const std::int64_t max_vertices_;
  ResourceGraph graph_;
  std::vector<std::vector<VertexIndex>> made_;  // [vertex of the recipe]
  std::vector<std::int64_t> scales_;            // of the edges on the way here
  std::vector<char> entered_;                   // [vertex of the recipe]
  std::int64_t next_rank_ = 0;
  std::int64_t associated_ = 0;
};

VertexIndex Generator::Make(const GrugVertex& of, std::int64_t id) {
  if (graph_.size() >= max_vertices_) {
    throw GraphError(
        fmt::format("the recipe makes more than {} vertices", max_vertices_));
  }
  Vertex vertex;
  vertex.type = of.type;
  vertex.basename = of.basename;
  vertex.name = of.basename + (id < 0 ? "" : std::to_string(id));
  vertex.unit = of.unit;
  vertex.id = id;
  vertex.uniq_id = graph_.size();
  vertex.size = of.size;
  if (of.type == "node") vertex.rank = next_rank_++;
  return graph_.AddVertex(vertex);
}

void Generator::MakeRoot(int v) {
  const GrugVertex& of = recipe_.vertices[v];
  if (!of.root || !made_[v].empty()) return;
  const SubsystemId subsystem = graph_.AddSubsystem(of.subsystem);
  VertexIndex root = graph_.root(subsystem);
  if (root == kNoVertex) {
    root = Make(of, 0);
    graph_.SetRoot(root, subsystem);
  }
  made_[v].push_back(root);
}

// Numbers continue within as many levels above as the scope says.
std::int64_t Generator::IdOf(const GrugEdge& edge, std::int64_t j,
                             std::int64_t i) const {
  if (edge.id_scope < 0) return -1;
  if (edge.id_scope == 0) return edge.id_start + i;
  const auto scope = std::min<std::size_t>(edge.id_scope, scales_.size());
  std::int64_t width = 1;
  for (std::size_t s = scales_.size() - scope; s < scales_.size(); ++s) {
    if (__builtin_mul_overflow(width, std::max<std::int64_t>(scales_[s], 1),
                               &width)) {
      throw GraphError(edge.name + ": its numbers are too large");
    }
  }
  std::int64_t id = 0;
  std::int64_t step = 0;
  if (__builtin_mul_overflow(j % width, edge.scale, &id) ||
      __builtin_add_overflow(id, i, &id) ||
      __builtin_mul_overflow(id, edge.id_stride, &step) ||
      __builtin_add_overflow(step, edge.id_start, &id)) {
    throw GraphError(edge.name + ": its numbers are too large");
  }
  return id;
}

void Generator::Multiply(const GrugEdge& edge) {
  const GrugVertex& of = recipe_.vertices[edge.target];
  const SubsystemId subsystem = graph_.AddSubsystem(edge.subsystem);
  const SubsystemId own = graph_.AddSubsystem(of.subsystem);
  const std::vector<VertexIndex> sources = made_[edge.source];
  for (std::size_t j = 0; j < sources.size(); ++j) {
    for (std::int64_t i = 0; i < edge.scale; ++i) {
      const VertexIndex v =
          Make(of, IdOf(edge, static_cast<std::int64_t>(j), i));
      graph_.AddEdge(sources[j], v, subsystem);
      if (own != subsystem) {
        graph_.SetPath(v, own,
                       graph_.Path(sources[j], own) + "/" + graph_.Name(v));
      }
      made_[edge.target].push_back(v);
    }
  }
  scales_.push_back(edge.scale);
}

std::vector<VertexIndex> Generator::OfType(const std::string& type) const {
  std::vector<VertexIndex> found;
  for (VertexIndex v = 0; v < graph_.size(); ++v) {
    if (graph_.TypeName(v) == type) found.push_back(v);
  }
  return found;
}

void Generator::Associate(const GrugEdge& edge) {
  const SubsystemId subsystem = graph_.AddSubsystem(edge.subsystem);
  const SubsystemId compared = graph_.AddSubsystem(edge.path_subsystem);
  const bool by_path = edge.method == GrugEdge::Method::kAssociateByPathIn;
  const auto targets = OfType(recipe_.vertices[edge.target].type);
  std::vector<std::string> prefixes;
  for (const VertexIndex target : targets) {
    if (!by_path) break;
    prefixes.push_back(Prefix(graph_.Path(target, compared), edge.target_up));
  }
  const std::vector<VertexIndex> sources = made_[edge.source];
  for (const VertexIndex source : sources) {
    const std::string prefix =
        by_path ? Prefix(graph_.Path(source, compared), edge.source_up) : "";
    for (std::size_t t = 0; t < targets.size(); ++t) {
      if (by_path && prefixes[t] != prefix) continue;
      const VertexIndex target = targets[t];
      if (++associated_ > max_vertices_) {
        throw GraphError(edge.name + ": makes too many edges");
      }
      const EdgeIndex known = graph_.FindEdge(source, target);
      if (known != kNoEdge) {
        graph_.MoveEdge(known, subsystem);
      } else {
        graph_.AddEdge(source, target, subsystem);
      }
      graph_.SetPath(
          target, subsystem,
          graph_.Path(source, subsystem) + "/" + graph_.Name(target));
      made_[edge.target].push_back(target);
    }
  }
}

void Generator::Follow(const GrugEdge& edge) {
  MakeRoot(edge.source);
  if (edge.method == GrugEdge::Method::kMultiply) {
    Multiply(edge);
  } else {
    Associate(edge);
  }
}

// Walks depth first, edges in the order of the text, and enters a vertex once.
void Generator::WalkFrom(int start) {
  struct Step {
    int vertex;
    std::size_t next;
  };
  std::vector<Step> way = {{start, 0}};
  entered_[start] = 1;
  while (!way.empty()) {
    Step& step = way.back();
    const std::vector<int>& out = recipe_.vertices[step.vertex].out;
    if (step.next == out.size()) {
      way.pop_back();
      if (!scales_.empty()) scales_.pop_back();
      continue;
    }
    const GrugEdge& edge = recipe_.edges[out[step.next++]];
    if (entered_[edge.target] != 0) continue;
    Follow(edge);
    entered_[edge.target] = 1;
    way.push_back({edge.target, 0});
  }
}

ResourceGraph Generator::Generate() {
  entered_.resize(recipe_.vertices.size());
  for (int v = 0; v < static_cast<int>(recipe_.vertices.size()); ++v) {
    if (entered_[v] == 0) WalkFrom(v);
  }
  if (graph_.size() == 0) throw GraphError("the recipe makes no vertex");
  if (graph_.type_names().size() > kMaxGraphTypes) {
    throw GraphError("the recipe has too many types");
  }
  graph_.CheckShape();
  return std::move(graph_);
}

}  // namespace

ResourceGraph ReadGrug(std::string_view text, std::int64_t max_vertices) {
  const GrugRecipe recipe = ReadGrugRecipe(text);
  try {
    return Generator(recipe, max_vertices).Generate();
  } catch (const std::invalid_argument& error) {
    throw GraphError(error.what());
  }
}

}  // namespace fluxnetes::matcher
