// The resource graph: pools (vertices) and the edges between them, each of one
// subsystem. Containment is a tree; other subsystems may share its vertices.
//
//   cluster0 - rack0 - node0 - socket0 - core0, core1, ..., gpu0
//                    - node1 - ...
//   powerpanel0 - pdu0 - node0                            (subsystem "power")
//
// A vertex is an index, and so is an edge. Their attributes lie in arrays by
// index, and strings are interned. The edges of a vertex are linked in the
// order in which they were added; a match visits and writes them in that order.
// Types are numbered in the order first seen, Fluxion's own ones first; sets of
// types go in that order.
//
// A match uses one subsystem, the dominant one; functions without a subsystem
// mean that one. A detached vertex keeps its index, but no edge leads to it.
//
// Owned by one thread. Misuse throws std::invalid_argument.
// Tests: tests/matcher/writers/graph_writer_test.cc,
// tests/matcher/readers/jgf_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "matcher/graph/names.h"

namespace fluxnetes::matcher {

using VertexIndex = std::int32_t;
using EdgeIndex = std::int32_t;
using TypeId = NameId;
using SubsystemId = NameId;

inline constexpr VertexIndex kNoVertex = -1;
inline constexpr EdgeIndex kNoEdge = -1;
inline constexpr SubsystemId kContainment = 0;
inline constexpr int kMaxGraphDepth = 64;
inline constexpr int kMaxSubsystems = 32;
inline constexpr int kMaxVertices = 20'000'000;

// The types that the matcher knows by name.
namespace types {
inline constexpr TypeId kCluster = 0;
inline constexpr TypeId kCore = 1;
inline constexpr TypeId kGpu = 3;
inline constexpr TypeId kNode = 4;
inline constexpr TypeId kSlot = 6;
inline constexpr TypeId kXorSlot = 7;
inline constexpr TypeId kStorageNode = 9;
}  // namespace types

using Properties = std::map<std::string, std::string>;

struct Vertex {
  std::string type;
  std::string basename;
  std::string name;
  std::string unit;
  std::int64_t id = -1;       // logical; -1: none
  std::int64_t uniq_id = -1;  // in JGF
  std::int64_t rank = -1;     // execution target; -1: none
  std::int64_t size = 1;      // units in the pool
  bool up = true;
  Properties properties;
};

class ResourceGraph {
 public:
  ResourceGraph();

  VertexIndex AddVertex(const Vertex& vertex);
  // There must be no edge from source to target yet, in any subsystem.
  EdgeIndex AddEdge(VertexIndex source, VertexIndex target,
                    SubsystemId subsystem = kContainment);
  // Moves the edge to another subsystem.
  void MoveEdge(EdgeIndex edge, SubsystemId subsystem);
  // Must be called when edges were added. Throws if they close a cycle, or make
  // more than kMaxGraphDepth levels.
  void CheckShape() const;
  void SetRoot(VertexIndex root, SubsystemId subsystem = kContainment);
  // Cuts off the vertex and all that it contains, and forgets their paths and
  // ranks. Returns the vertices that were cut off.
  std::vector<VertexIndex> Detach(VertexIndex top);
  void DetachAlone(VertexIndex v);

  SubsystemId AddSubsystem(std::string_view name);
  const Names& subsystems() const { return subsystems_; }
  void SetDominant(SubsystemId subsystem) { dominant_ = subsystem; }
  SubsystemId dominant() const { return dominant_; }

  int size() const { return static_cast<int>(types_.size()); }
  int edges() const { return static_cast<int>(targets_.size()); }
  VertexIndex root() const { return root(dominant_); }  // kNoVertex: none
  VertexIndex root(SubsystemId subsystem) const {
    return links_[subsystem].root;
  }
  bool detached(VertexIndex v) const { return detached_[v] != 0; }

  TypeId type(VertexIndex v) const { return types_[v]; }
  std::int64_t id(VertexIndex v) const { return ids_[v]; }
  std::int64_t uniq_id(VertexIndex v) const { return uniq_ids_[v]; }
  std::int64_t rank(VertexIndex v) const { return ranks_[v]; }
  std::int64_t units(VertexIndex v) const { return sizes_[v]; }
  bool up(VertexIndex v) const { return up_[v] != 0; }
  void SetUp(VertexIndex v, bool up) { up_[v] = up ? 1 : 0; }
  const std::string& TypeName(VertexIndex v) const {
    return type_names_[types_[v]];
  }
  const std::string& Name(VertexIndex v) const { return names_[names_of_[v]]; }
  NameId name(VertexIndex v) const { return names_of_[v]; }
  const std::string& Basename(VertexIndex v) const {
    return names_[basenames_[v]];
  }
  const std::string& Unit(VertexIndex v) const { return names_[units_[v]]; }
  // Returns null if there are none.
  const Properties* PropertiesOf(VertexIndex v) const;
  void SetProperty(VertexIndex v, const std::string& key, std::string value);

  // Edges from a vertex and into it, in one subsystem.
  EdgeIndex FirstOut(VertexIndex v) const { return FirstOut(v, dominant_); }
  EdgeIndex FirstOut(VertexIndex v, SubsystemId subsystem) const {
    const auto& first = links_[subsystem].first_out;
    return v < static_cast<int>(first.size()) ? first[v] : kNoEdge;
  }
  EdgeIndex NextOut(EdgeIndex e) const { return next_out_[e]; }
  VertexIndex source(EdgeIndex e) const { return sources_[e]; }
  VertexIndex target(EdgeIndex e) const { return targets_[e]; }
  SubsystemId subsystem(EdgeIndex e) const { return subsystem_of_[e]; }
  // Searches all subsystems; kNoEdge: none.
  EdgeIndex FindEdge(VertexIndex source, VertexIndex target) const;
  EdgeIndex FirstIn(VertexIndex v) const { return FirstIn(v, dominant_); }
  EdgeIndex FirstIn(VertexIndex v, SubsystemId subsystem) const {
    EdgeIndex e = first_in_[v];
    while (e != kNoEdge && subsystem_of_[e] != subsystem) e = next_in_[e];
    return e;
  }

  VertexIndex parent(VertexIndex v) const { return parent(v, dominant_); }
  VertexIndex parent(VertexIndex v, SubsystemId subsystem) const {
    const EdgeIndex e = FirstIn(v, subsystem);
    return e == kNoEdge ? kNoVertex : sources_[e];
  }
  bool IsLeaf(VertexIndex v) const { return FirstOut(v) == kNoEdge; }
  int Depth(VertexIndex v) const;  // the root has 0
  bool HasChildOfType(VertexIndex v, TypeId type) const;

  // Returns a path like "/cluster0/rack0/node0", made of the names unless it
  // was set; empty if the vertex is not in the subsystem.
  std::string Path(VertexIndex v) const { return Path(v, dominant_); }
  std::string Path(VertexIndex v, SubsystemId subsystem) const;
  bool HasPath(VertexIndex v, SubsystemId subsystem) const;
  void SetPath(VertexIndex v, SubsystemId subsystem, std::string path);
  // Returns all vertices with that path in any subsystem, in order of index.
  std::vector<VertexIndex> FindAll(std::string_view path) const;
  std::optional<VertexIndex> Find(std::string_view path) const;
  // In order of index; empty for a rank below 0.
  const std::vector<VertexIndex>& OfRank(std::int64_t rank) const;
  int unranked() const { return unranked_; }  // vertices without a rank
  const std::map<std::int64_t, std::vector<VertexIndex>>& ranks() const {
    return by_rank_;
  }

  // Returns `top` and the vertices below it: children in order, then their
  // parent.
  std::vector<VertexIndex> PostOrder(VertexIndex top) const {
    return PostOrder(top, dominant_);
  }
  std::vector<VertexIndex> PostOrder(VertexIndex top,
                                     SubsystemId subsystem) const;

  const Names& type_names() const { return type_names_; }
  TypeId AddType(std::string_view name) { return type_names_.Intern(name); }
  // The names of vertices, basenames and units; more may be added.
  Names& names() { return names_; }
  const Names& names() const { return names_; }

 private:
  struct Links {
    VertexIndex root = kNoVertex;
    std::vector<EdgeIndex> first_out;                    // [vertex]
    std::vector<EdgeIndex> last_out;                     // [vertex]
    std::unordered_map<VertexIndex, std::string> paths;  // paths that were set
  };

  void LinkOut(EdgeIndex e);
  void UnlinkOut(EdgeIndex e);
  void UnlinkIn(EdgeIndex e);
  void IndexPaths() const;

  Names type_names_;
  Names names_;
  Names subsystems_;
  SubsystemId dominant_ = kContainment;
  std::vector<TypeId> types_;
  std::vector<NameId> names_of_;
  std::vector<NameId> basenames_;
  std::vector<NameId> units_;
  std::vector<std::int64_t> ids_;
  std::vector<std::int64_t> uniq_ids_;
  std::vector<std::int32_t> ranks_;
  std::vector<std::int64_t> sizes_;
  std::vector<char> up_;
  std::vector<char> detached_;
  std::unordered_map<VertexIndex, Properties> properties_;

  std::vector<Links> links_;          // [subsystem]
  std::vector<EdgeIndex> first_in_;   // [vertex]
  std::vector<VertexIndex> sources_;  // [edge], as the four below
  std::vector<VertexIndex> targets_;
  std::vector<SubsystemId> subsystem_of_;
  std::vector<EdgeIndex> next_out_;
  std::vector<EdgeIndex> next_in_;

  int unranked_ = 0;
  std::map<std::int64_t, std::vector<VertexIndex>> by_rank_;
  // Vertices by the hash of a path. Vertices from indexed_ on are missing, and
  // some entries are of former paths.
  mutable std::unordered_multimap<std::size_t, VertexIndex> by_path_;
  mutable int indexed_ = 0;
};

}  // namespace fluxnetes::matcher
