#include <fmt/format.h>

#include <limits>
#include <map>
#include <unordered_map>

#include "matcher/jgf.h"
#include "matcher/readers/jgf_vertex.h"
#include "matcher/readers/json_place.h"

namespace fluxnetes::matcher {
namespace {

using nlohmann::json;

// Whether the path is that of something below the other.
bool IsBelow(const std::string& path, const std::string& above) {
  return !above.empty() && path.size() > above.size() &&
         path.starts_with(above) && path[above.size()] == '/';
}

// Adds to a graph; an empty one to begin with where all of it is read.
class Reader {
 public:
  explicit Reader(ResourceGraph& graph) : graph_(graph), known_(graph.size()) {}

  void Read(const json& document);

 private:
  // A vertex of the text, and its paths by subsystem.
  struct Read1 {
    VertexIndex v = kNoVertex;
    std::map<std::string, std::string> paths;
  };

  void ReadNode(const JsonPlace& node);
  VertexIndex Known(std::int64_t rank,
                    const std::map<std::string, std::string>& paths) const;
  void SetRoots(const JsonPlace& node, const Read1& read);
  void ReadEdge(const JsonPlace& edge);
  const Read1& Endpoint(const JsonPlace& edge, const char* key) const;
  void SetPaths();

  ResourceGraph& graph_;
  const int known_;  // vertices that were there before
  std::unordered_map<std::string, int> by_id_;    // into read_
  std::unordered_map<std::string, int> by_path_;  // "<rank> <path>"
  std::vector<Read1> read_;
};

// One that was read before, or was in the graph.
VertexIndex Reader::Known(
    std::int64_t rank, const std::map<std::string, std::string>& paths) const {
  for (const auto& [subsystem, path] : paths) {
    const auto found = by_path_.find(fmt::format("{} {}", rank, path));
    if (found != by_path_.end()) return read_[found->second].v;
    if (known_ == 0) continue;
    for (const VertexIndex v : graph_.FindAll(path)) {
      if (v < known_ && graph_.rank(v) == rank) return v;
    }
  }
  return kNoVertex;
}

void Reader::SetRoots(const JsonPlace& node, const Read1& read) {
  for (const auto& [name, path] : read.paths) {
    if (path.size() < 2 || path[0] != '/' ||
        path.find('/', 1) != std::string::npos) {
      continue;
    }
    const SubsystemId subsystem = graph_.AddSubsystem(name);
    const VertexIndex root = graph_.root(subsystem);
    if (root != kNoVertex && root != read.v) {
      node.Fail(fmt::format("{} is a second root besides {}", path,
                            graph_.Name(root)));
    }
    graph_.SetRoot(read.v, subsystem);
  }
}

void Reader::ReadNode(const JsonPlace& node) {
  const JgfVertex vertex = ReadJgfVertex(node);
  Read1 read;
  read.paths = vertex.paths;
  read.v = Known(vertex.vertex.rank, vertex.paths);
  const int number = static_cast<int>(read_.size());
  if (read.v == kNoVertex) {
    read.v = graph_.AddVertex(vertex.vertex);
    for (const auto& [subsystem, path] : read.paths) {
      by_path_.emplace(fmt::format("{} {}", vertex.vertex.rank, path), number);
    }
    if (graph_.type_names().size() > kMaxGraphTypes) {
      node.Fail("metadata.type",
                fmt::format("is one type more than {}", kMaxGraphTypes));
    }
    SetRoots(node, read);
  }
  if (!by_id_.emplace(vertex.outer_id, number).second) {
    node.Fail("id", "\"" + vertex.outer_id + "\" is there twice");
  }
  read_.push_back(std::move(read));
}

const Reader::Read1& Reader::Endpoint(const JsonPlace& edge,
                                      const char* key) const {
  const std::string id = edge.Text(key);
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) {
    edge.Fail(key, "\"" + id + "\" is not the id of a node");
  }
  return read_[found->second];
}

void Reader::ReadEdge(const JsonPlace& edge) {
  const Read1& source = Endpoint(edge, "source");
  const Read1& target = Endpoint(edge, "target");
  std::string name = "containment";
  if (edge.Has("metadata")) {
    const JsonPlace metadata(edge.Object("metadata"), "metadata", edge);
    name = metadata.Text("subsystem", name);
  }
  const auto path = [&](const Read1& read) {
    const auto found = read.paths.find(name);
    return found == read.paths.end() ? "" : found->second;
  };
  if (IsBelow(path(source), path(target))) return;  // the way back
  if (source.v < known_ && target.v < known_) return;
  try {
    graph_.AddEdge(source.v, target.v, graph_.AddSubsystem(name));
  } catch (const std::invalid_argument& error) {
    edge.Fail(error.what());
  }
}

void Reader::SetPaths() {
  for (const Read1& read : read_) {
    if (read.v < known_) continue;
    for (const auto& [name, path] : read.paths) {
      graph_.SetPath(read.v, graph_.AddSubsystem(name), path);
    }
  }
}

void Reader::Read(const json& document) {
  const JsonPlace top(document, "document");
  const JsonPlace graph(top.Object("graph"), "graph");
  const json& nodes = graph.List("nodes");
  const json& edges = graph.List("edges");
  by_id_.reserve(nodes.size());
  by_path_.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    ReadNode(JsonPlace(nodes[i], fmt::format("graph.nodes[{}]", i)));
  }
  for (std::size_t i = 0; i < edges.size(); ++i) {
    ReadEdge(JsonPlace(edges[i], fmt::format("graph.edges[{}]", i)));
  }
  if (graph_.root(kContainment) == kNoVertex && graph_.size() > 0) {
    graph.Fail("nodes", "no node has a path of one name");
  }
  try {
    graph_.CheckShape();
  } catch (const std::invalid_argument& error) {
    graph.Fail("edges", error.what());
  }
  SetPaths();
}

}  // namespace

ResourceGraph ReadJgf(std::string_view text) {
  ResourceGraph graph;
  AddJgf(text, graph);
  if (graph.root() == kNoVertex) {
    throw JgfError("graph.nodes: no node has a containment path of one name");
  }
  return graph;
}

void AddJgf(std::string_view text, ResourceGraph& graph) {
  const json document = ParseJson(text);
  try {
    Reader(graph).Read(document);
  } catch (const std::invalid_argument& error) {
    throw JgfError(error.what());
  }
}

}  // namespace fluxnetes::matcher
