// What a node has inside, in a fixed form, so that nodes of equal structure can
// share it: one tree, its root the node, in pre-order. The vertices below a
// vertex lie side by side behind it.
//
//   0 node - 1 socket0 - 2 numa0 - 3 core0, 4 core1, ..., 35 gpu0
//                      - 36 numa1 - ...
//
// Paths are relative to the node ("socket0/numa0/core3"); the node's own is
// empty. The name of the node and its rank are left out.
//
// Constant after construction.
// Tests: tests/matcher/inside/node_structure_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "matcher/graph/resource_graph.h"
#include "matcher/inside/vertex_mask.h"

namespace fluxnetes::matcher {

inline constexpr int kMaxInsideVertices = 16'384;

class NodeStructure {
 public:
  // `top` is the node in a graph whose containment below it is a tree. Throws
  // std::invalid_argument if it is none, has more than kMaxInsideVertices, or
  // two vertices of one path.
  NodeStructure(const ResourceGraph& graph, VertexIndex top);
  NodeStructure(const NodeStructure&) = delete;
  NodeStructure& operator=(const NodeStructure&) = delete;

  // Returns the node of the graph: the one vertex of type "node", or the root
  // if there is none. Throws std::invalid_argument if there are several.
  static VertexIndex NodeOf(const ResourceGraph& graph);
  // Returns a text that is equal for equal structures alone.
  static std::string SignatureOf(const ResourceGraph& graph, VertexIndex top);

  const ResourceGraph& graph() const { return graph_; }
  int size() const { return graph_.size(); }
  VertexIndex parent(VertexIndex v) const { return parents_[v]; }
  // Returns the index behind the last vertex below v.
  VertexIndex end(VertexIndex v) const { return ends_[v]; }

  std::string Path(VertexIndex v) const;
  // Finds a vertex by its path. If there is no such path, finds it by the
  // path's last name, if just one vertex has that name; so what is held is
  // found again when levels come in between.
  std::optional<VertexIndex> Find(std::string_view path) const;

  // Inserts the vertices, and all below them.
  void InsertBelow(const std::vector<VertexIndex>& vertices,
                   VertexMask& mask) const;

  // Returns the same vertices with the edges that a walk needs which looks at
  // these types alone: a vertex is below the nearest one above it that is of
  // these types, or below the node.
  ResourceGraph ViewOf(const std::vector<std::string>& types) const;

 private:
  static constexpr VertexIndex kSeveral = -2;

  ResourceGraph graph_;
  std::vector<VertexIndex> parents_;
  std::vector<VertexIndex> ends_;
  std::unordered_map<std::string, VertexIndex> by_path_;
  std::unordered_map<std::string_view, VertexIndex> by_name_;
};

}  // namespace fluxnetes::matcher
