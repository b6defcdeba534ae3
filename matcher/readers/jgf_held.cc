#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "matcher/graph/id_set.h"
#include "matcher/readers/jgf.h"
#include "matcher/readers/jgf_document.h"
#include "matcher/readers/jgf_vertex.h"

namespace fluxnetes::matcher {
namespace {

class Finder {
 public:
  Finder(const ResourceGraph& graph, bool shorthand)
      : graph_(graph), shorthand_(shorthand) {}

  HeldParts Find(const TextSource& source);

 private:
  struct Found {
    VertexIndex v = kNoVertex;  // kNoVertex: on a rank that was released
    bool exclusive = false;
  };

  void ReadFreeRanks(JsonStream& in, const JsonPath& document);
  void FindNode(JsonStream& in, const JsonPath& node);
  VertexIndex Resolve(const JsonPath& node, const JgfVertex& read) const;
  void FindEdge(JsonStream& in, const JsonPath& edge);
  const Found* Endpoint(JsonStream& in, const JsonPath& edge,
                        const char* key) const;
  void AddBelow(VertexIndex v);

  const ResourceGraph& graph_;
  const bool shorthand_;
  std::optional<IdSet> free_ranks_;
  std::unordered_map<std::string, Found> by_id_;
  std::unordered_set<VertexIndex> listed_;
  HeldParts held_;
};

// Returns the vertex that all paths name; its attributes must match the text.
VertexIndex Finder::Resolve(const JsonPath& node, const JgfVertex& read) const {
  VertexIndex resolved = kNoVertex;
  for (const auto& [subsystem, path] : read.paths) {
    VertexIndex here = kNoVertex;
    for (const VertexIndex v : graph_.FindAll(path)) {
      if (graph_.rank(v) == read.vertex.rank) here = v;
    }
    if (here == kNoVertex || (resolved != kNoVertex && resolved != here)) {
      node.Fail(fmt::format("{} is not in the graph", path));
    }
    resolved = here;
  }
  if (resolved == kNoVertex) node.Fail("has no path");
  const Vertex& said = read.vertex;
  const bool same = graph_.TypeName(resolved) == said.type &&
                    graph_.Basename(resolved) == said.basename &&
                    graph_.Name(resolved) == said.name &&
                    graph_.id(resolved) == said.id &&
                    graph_.units(resolved) == said.size;
  if (!same) {
    node.Fail(fmt::format("is not as {} in the graph", graph_.Path(resolved)));
  }
  return resolved;
}

void Finder::FindNode(JsonStream& in, const JsonPath& node) {
  JgfVertex read;
  ReadJgfVertex(in, node, read);
  Found found;
  if (!free_ranks_ || !free_ranks_->Contains(read.vertex.rank)) {
    found = {Resolve(node, read), read.exclusive};
  }
  if (!by_id_.emplace(read.outer_id, found).second) {
    node.Fail("id", "\"" + read.outer_id + "\" is there twice");
  }
  const VertexIndex v = found.v;
  if (v == kNoVertex) return;
  if (!listed_.insert(v).second) node.Fail("is there twice");
  held_.parts.push_back({v, graph_.units(v), found.exclusive});
  if (v == graph_.root()) {
    held_.edges.push_back({kNoEdge, graph_.units(v), found.exclusive});
  }
}

// Adds everything below a vertex that is taken whole.
void Finder::AddBelow(VertexIndex v) {
  for (const VertexIndex below : graph_.PostOrder(v, kContainment)) {
    if (below == v) continue;
    if (listed_.insert(below).second) {
      held_.parts.push_back({below, graph_.units(below), true});
    }
    const EdgeIndex e = graph_.FirstIn(below, kContainment);
    held_.edges.push_back({e, graph_.units(below), true});
  }
}

const Finder::Found* Finder::Endpoint(JsonStream& in, const JsonPath& edge,
                                      const char* key) const {
  const std::string id(ReadText(in, edge, key));
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) {
    edge.Fail(key, "\"" + id + "\" is not the id of a node");
  }
  return &found->second;
}

void Finder::FindEdge(JsonStream& in, const JsonPath& edge) {
  const Found* source = nullptr;
  const Found* target = nullptr;
  if (in.Peek() != JsonStream::Kind::kObject) edge.Fail("is not an object");
  in.EnterObject();
  while (const auto key = in.NextKey()) {
    if (*key == "source") {
      source = Endpoint(in, edge, "source");
    } else if (*key == "target") {
      target = Endpoint(in, edge, "target");
    } else {
      in.Skip();
    }
  }
  if (source == nullptr) edge.Fail("has no \"source\", which is required");
  if (target == nullptr) edge.Fail("has no \"target\", which is required");
  if (source->v == kNoVertex || target->v == kNoVertex) return;
  const EdgeIndex e = graph_.FindEdge(source->v, target->v);
  if (e == kNoEdge) {
    // An edge from a child back to its parent, as some programs write it, is
    // ignored.
    if (graph_.FindEdge(target->v, source->v) != kNoEdge) return;
    edge.Fail("is not in the graph");
  }
  held_.edges.push_back({e, graph_.units(target->v), target->exclusive});
}

void Finder::ReadFreeRanks(JsonStream& in, const JsonPath& document) {
  free_ranks_ = IdSet::Parse(ReadText(in, document, "free_ranks"));
  if (!free_ranks_) {
    document.Fail("free_ranks", "is not a set of ranks like 0-3");
  }
}

// Reads the text twice, since free_ranks may come after the graph.
HeldParts Finder::Find(const TextSource& source) {
  const auto skip = [](JsonStream& in, const JsonPath&) { in.Skip(); };
  WalkJgf(source, {skip, skip,
                   [this](JsonStream& in, const JsonPath& document,
                          std::string_view key) {
                     if (key == "free_ranks") {
                       ReadFreeRanks(in, document);
                     } else {
                       in.Skip();
                     }
                   }});
  WalkJgf(source,
          {.node = [this](JsonStream& in,
                          const JsonPath& node) { FindNode(in, node); },
           .edge = [this](JsonStream& in,
                          const JsonPath& edge) { FindEdge(in, edge); }});
  if (shorthand_) {
    const std::vector<HeldPart> parts = held_.parts;
    for (const HeldPart& part : parts) {
      if (part.exclusive) AddBelow(part.vertex);
    }
  }
  return std::move(held_);
}

}  // namespace

HeldParts FindJgf(std::string_view text, const ResourceGraph& graph,
                  bool shorthand) {
  return Finder(graph, shorthand).Find(SourceOf(text));
}

}  // namespace fluxnetes::matcher
