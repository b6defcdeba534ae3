#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "matcher/graph/path_table.h"
#include "matcher/readers/jgf.h"
#include "matcher/readers/jgf_document.h"
#include "matcher/readers/jgf_vertex.h"
#include "matcher/readers/json_place.h"

namespace fluxnetes::matcher {
namespace {

constexpr int kMaxPathNames = 256;

// Node numbers by the nodes' ids in the text, most of which are numbers too.
class OuterIds {
 public:
  // False if the id exists already.
  bool Add(const std::string& id, int number);
  int Find(std::string_view id) const;  // -1: unknown id

 private:
  // Returns nothing if the id is not a number, or has another spelling too.
  static std::optional<std::int64_t> Plain(std::string_view id);
  int Find(std::int64_t plain) const;

  int count_ = 0;
  std::vector<int> direct_;  // [id]: the node number plus 1; 0: none
  std::unordered_map<std::int64_t, int> sparse_;
  std::unordered_map<std::string, int> others_;
};

std::optional<std::int64_t> OuterIds::Plain(std::string_view id) {
  constexpr std::size_t kMostDigits = 18;
  if (id.empty() || id.size() > kMostDigits || (id[0] == '0' && id != "0")) {
    return std::nullopt;
  }
  std::int64_t value = 0;
  for (const char c : id) {
    if (c < '0' || c > '9') return std::nullopt;
    value = 10 * value + (c - '0');
  }
  return value;
}

// Ids that are mostly consecutive need only an array.
bool OuterIds::Add(const std::string& id, int number) {
  constexpr std::int64_t kSlack = 1'024;
  ++count_;
  const auto plain = Plain(id);
  if (!plain) return others_.emplace(id, number).second;
  if (Find(*plain) >= 0) return false;
  if (*plain >= std::int64_t{4} * count_ + kSlack) {
    return sparse_.emplace(*plain, number).second;
  }
  const auto at = static_cast<std::size_t>(*plain);
  if (at >= direct_.size()) direct_.resize(at + 1);
  direct_[at] = number + 1;
  return true;
}

int OuterIds::Find(std::string_view id) const {
  const auto plain = Plain(id);
  if (!plain) {
    const auto found = others_.find(std::string(id));
    return found == others_.end() ? -1 : found->second;
  }
  return Find(*plain);
}

int OuterIds::Find(std::int64_t plain) const {
  const auto at = static_cast<std::size_t>(plain);
  if (at < direct_.size() && direct_[at] != 0) return direct_[at] - 1;
  if (sparse_.empty()) return -1;
  const auto found = sparse_.find(plain);
  return found == sparse_.end() ? -1 : found->second;
}

// Adds to a graph; ReadJgf() starts with an empty one.
class GraphReader {
 public:
  explicit GraphReader(ResourceGraph& graph)
      : graph_(graph), known_(graph.size()), paths_(graph.names()) {}

  void Read(const TextSource& source);

 private:
  // A node of the text. Its paths end where those of the next node begin.
  struct Node {
    VertexIndex v = kNoVertex;
    int first_path = 0;
  };
  struct NodePath {
    NameId subsystem;
    PathId path;
  };

  // The subsystem of an edge, in the text and in the graph.
  struct EdgeKind {
    std::string subsystem;
    std::optional<NameId> in_text;
    SubsystemId in_graph;
  };

  void ReadNode(JsonStream& in, const JsonPath& place);
  VertexIndex Known(const JgfVertex& read, const std::vector<NodePath>& paths);
  void SetRoots(const JsonPath& place, const JgfVertex& read, VertexIndex v);
  void ReadEdge(JsonStream& in, const JsonPath& place);
  int Endpoint(JsonStream& in, const JsonPath& edge, const char* key);
  int PathsEnd(int node) const {
    return node + 1 < static_cast<int>(nodes_.size())
               ? nodes_[node + 1].first_path
               : static_cast<int>(node_paths_.size());
  }
  PathId PathOf(int node, NameId subsystem) const;
  void SetPaths();
  bool GoesWithoutSaying(VertexIndex v, SubsystemId subsystem,
                         const NodePath& path) const;

  ResourceGraph& graph_;
  const int known_;  // number of vertices from before
  OuterIds ids_;
  PathTable paths_;
  Names subsystems_;  // in the order of the text
  std::vector<Node> nodes_;
  std::vector<NodePath> node_paths_;
  std::vector<int> node_of_;     // [vertex - known_]: its node
  std::vector<VertexIndex> at_;  // [path]: the first vertex with it
  // vertices after the first, by path and rank
  std::unordered_map<std::uint64_t, VertexIndex> more_;
  std::optional<EdgeKind> last_edge_;  // usually the next edge's too
  // The node that is read.
  JgfVertex read_;
  std::vector<NodePath> paths_of_read_;
};

std::uint64_t PathAndRank(PathId path, std::int64_t rank) {
  return std::uint64_t{static_cast<std::uint32_t>(path)} << 32 |
         static_cast<std::uint32_t>(rank);
}

// Returns a vertex that was read before, or was in the graph.
VertexIndex GraphReader::Known(const JgfVertex& read,
                               const std::vector<NodePath>& paths) {
  at_.resize(paths_.size(), kNoVertex);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const VertexIndex first = at_[paths[i].path];
    if (first != kNoVertex) {
      if (graph_.rank(first) == read.vertex.rank) return first;
      const auto found =
          more_.find(PathAndRank(paths[i].path, read.vertex.rank));
      if (found != more_.end()) return found->second;
    }
    if (known_ == 0) continue;
    for (const VertexIndex v : graph_.FindAll(read.paths[i].second)) {
      if (v < known_ && graph_.rank(v) == read.vertex.rank) return v;
    }
  }
  return kNoVertex;
}

void GraphReader::SetRoots(const JsonPath& place, const JgfVertex& read,
                           VertexIndex v) {
  for (const auto& [name, path] : read.paths) {
    if (path.size() < 2 || path[0] != '/' ||
        path.find('/', 1) != std::string::npos) {
      continue;
    }
    const SubsystemId subsystem = graph_.AddSubsystem(name);
    const VertexIndex root = graph_.root(subsystem);
    if (root != kNoVertex && root != v) {
      place.Fail(fmt::format("{} is a second root besides {}", path,
                             graph_.Name(root)));
    }
    graph_.SetRoot(v, subsystem);
  }
}

void GraphReader::ReadNode(JsonStream& in, const JsonPath& place) {
  ReadJgfVertex(in, place, read_);
  const JgfVertex& read = read_;
  std::vector<NodePath>& paths = paths_of_read_;
  paths.clear();
  for (const auto& [subsystem, path] : read.paths) {
    if (path.size() > kMaxPathNames &&
        std::count(path.begin(), path.end(), '/') > kMaxPathNames) {
      place.Fail(
          fmt::format("has a path of more than {} names", kMaxPathNames));
    }
    paths.push_back({subsystems_.Intern(subsystem), paths_.Intern(path)});
  }
  const int number = static_cast<int>(nodes_.size());
  VertexIndex v = Known(read, paths);
  if (v == kNoVertex) {
    v = graph_.AddVertex(read.vertex);
    node_of_.push_back(number);
    for (const NodePath& path : paths) {
      VertexIndex& first = at_[path.path];
      if (first == kNoVertex) {
        first = v;
      } else {
        more_.emplace(PathAndRank(path.path, read.vertex.rank), v);
      }
    }
    if (graph_.type_names().size() > kMaxGraphTypes) {
      place.Fail("metadata.type",
                 fmt::format("is one type more than {}", kMaxGraphTypes));
    }
    SetRoots(place, read, v);
  }
  if (!ids_.Add(read.outer_id, number)) {
    place.Fail("id", "\"" + read.outer_id + "\" is there twice");
  }
  nodes_.push_back({v, static_cast<int>(node_paths_.size())});
  node_paths_.insert(node_paths_.end(), paths.begin(), paths.end());
}

int GraphReader::Endpoint(JsonStream& in, const JsonPath& edge,
                          const char* key) {
  const std::string_view id = ReadText(in, edge, key);
  const int found = ids_.Find(id);
  if (found < 0) {
    edge.Fail(key, fmt::format("\"{}\" is not the id of a node", id));
  }
  return found;
}

// Returns kNoPath if the node has no path in that subsystem.
PathId GraphReader::PathOf(int node, NameId subsystem) const {
  const int end = PathsEnd(node);
  for (int i = nodes_[node].first_path; i < end; ++i) {
    if (node_paths_[i].subsystem == subsystem) return node_paths_[i].path;
  }
  return kNoPath;
}

void GraphReader::ReadEdge(JsonStream& in, const JsonPath& place) {
  int source = -1;
  int target = -1;
  std::string name = "containment";
  if (in.Peek() != JsonStream::Kind::kObject) place.Fail("is not an object");
  in.EnterObject();
  while (const auto key = in.NextKey()) {
    if (*key == "source") {
      source = Endpoint(in, place, "source");
    } else if (*key == "target") {
      target = Endpoint(in, place, "target");
    } else if (*key == "metadata") {
      const JsonPath metadata("metadata", place);
      EnterObject(in, place, "metadata");
      while (const auto field = in.NextKey()) {
        if (*field == "subsystem") {
          name = ReadText(in, metadata, "subsystem");
        } else {
          in.Skip();
        }
      }
    } else {
      in.Skip();
    }
  }
  if (source < 0) place.Fail("has no \"source\", which is required");
  if (target < 0) place.Fail("has no \"target\", which is required");
  const bool as_last = last_edge_ && last_edge_->subsystem == name;
  const auto subsystem = as_last ? last_edge_->in_text : subsystems_.Find(name);
  const PathId above = subsystem ? PathOf(target, *subsystem) : kNoPath;
  const PathId below = subsystem ? PathOf(source, *subsystem) : kNoPath;
  // An edge from a child back to its parent, as some programs write it.
  if (above != kNoPath && below != kNoPath && paths_.IsBelow(below, above)) {
    return;
  }
  const VertexIndex from = nodes_[source].v;
  const VertexIndex to = nodes_[target].v;
  if (from < known_ && to < known_) return;
  try {
    if (!as_last) {
      last_edge_ = {name, subsystem, graph_.AddSubsystem(name)};
    }
    graph_.AddEdge(from, to, last_edge_->in_graph);
  } catch (const std::invalid_argument& error) {
    place.Fail(error.what());
  }
}

// True if the graph makes this path of the names by itself, provided that the
// paths above are right.
bool GraphReader::GoesWithoutSaying(VertexIndex v, SubsystemId subsystem,
                                    const NodePath& path) const {
  const PathId above = paths_.above(path.path);
  if (above == kNoPath || graph_.name(v) != paths_.name(path.path)) {
    return false;
  }
  if (graph_.root(subsystem) == v) return paths_.IsEmpty(above);
  const VertexIndex parent = graph_.parent(v, subsystem);
  return parent >= known_ && nodes_.size() == node_of_.size() &&
         PathOf(node_of_[parent - known_], path.subsystem) == above;
}

void GraphReader::SetPaths() {
  for (int node = 0; node < static_cast<int>(nodes_.size()); ++node) {
    const VertexIndex v = nodes_[node].v;
    if (v < known_) continue;
    const int end = PathsEnd(node);
    for (int i = nodes_[node].first_path; i < end; ++i) {
      const NodePath& path = node_paths_[i];
      const SubsystemId subsystem =
          graph_.AddSubsystem(subsystems_[path.subsystem]);
      if (GoesWithoutSaying(v, subsystem, path)) continue;
      graph_.SetPath(v, subsystem, paths_.Text(path.path));
    }
  }
}

void GraphReader::Read(const TextSource& source) {
  WalkJgf(source,
          {.node = [this](JsonStream& in,
                          const JsonPath& node) { ReadNode(in, node); },
           .edge = [this](JsonStream& in,
                          const JsonPath& edge) { ReadEdge(in, edge); }});
  const JsonPath graph("graph");
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

ResourceGraph ReadJgf(std::string_view text) { return ReadJgf(SourceOf(text)); }

ResourceGraph ReadJgf(const TextSource& source) {
  ResourceGraph graph;
  AddJgf(source, graph);
  if (graph.root() == kNoVertex) {
    throw JgfError("graph.nodes: no node has a containment path of one name");
  }
  return graph;
}

void AddJgf(std::string_view text, ResourceGraph& graph) {
  AddJgf(SourceOf(text), graph);
}

void AddJgf(const TextSource& source, ResourceGraph& graph) {
  try {
    GraphReader(graph).Read(source);
  } catch (const std::invalid_argument& error) {
    throw JgfError(error.what());
  }
}

}  // namespace fluxnetes::matcher
