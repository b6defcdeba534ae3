// What tasks hold in nodes, each set of vertices once: nodes of one structure
// often have the same.
//
// Owned by one thread.
// Tests: tests/matcher/inside/node_interior_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "matcher/graph/resource_graph.h"
#include "matcher/inside/node_structure.h"
#include "matcher/inside/vertex_mask.h"

namespace fluxnetes::matcher {

using PartsId = std::int32_t;
using StructureId = std::int32_t;

inline constexpr StructureId kNoStructure = -1;

struct PartSet {
  StructureId structure = kNoStructure;
  std::vector<VertexIndex> vertices;  // in order of index
  // As the row has it; empty if it is what the structure writes.
  std::string text;
  VertexMask mask;  // the vertices and all below them
  int uses = 0;     // 0: the entry is unused
};

class PartSets {
 public:
  // Returns the number of the set, and counts one more use of it.
  PartsId Take(StructureId id, const NodeStructure* structure,
               const std::vector<VertexIndex>& vertices,
               const std::string& text = "");
  // Reads a text and takes the set of it. `known`, if not null, is set to
  // whether the structure has all of it. Throws PartsError.
  PartsId Read(StructureId id, const NodeStructure* structure,
               std::string_view text, bool* known = nullptr);
  void Give(PartsId parts);
  const PartSet& operator[](PartsId parts) const { return sets_[parts]; }
  std::string Text(PartsId parts, const NodeStructure* structure) const;
  std::size_t size() const { return sets_.size() - unused_.size(); }

 private:
  static std::size_t HashOf(StructureId id,
                            const std::vector<VertexIndex>& vertices,
                            const std::string& text);

  std::vector<PartSet> sets_;
  std::vector<PartsId> unused_;
  std::unordered_multimap<std::size_t, PartsId> index_;
};

}  // namespace fluxnetes::matcher
