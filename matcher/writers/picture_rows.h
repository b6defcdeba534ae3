// The rows of a picture: the containment tree folded to its nodes.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "matcher/graph/resource_graph.h"

namespace fluxnetes::matcher {

// Units by type. Sums of sizes that may be anything, for people: not exact
// beyond 2^53.
using UnitSums = std::map<TypeId, double>;

class PictureRows {
 public:
  explicit PictureRows(const ResourceGraph& graph);

  struct Row {
    VertexIndex vertex = kNoVertex;
    UnitSums units;  // below it, or its own if there is nothing below
  };
  const std::vector<Row>& rows() const { return rows_; }

  // What is held of which row, by its number: units of the vertices and of all
  // that they contain, each counted once.
  std::map<int, UnitSums> Fold(std::span<const VertexIndex> held);

 private:
  void Count(VertexIndex v, UnitSums& sums) const;

  const ResourceGraph& graph_;
  std::vector<Row> rows_;
  std::vector<int> row_of_;  // [vertex], -1: above all rows
  std::vector<int> seen_;    // [vertex]: by which call of Fold()
  int folds_ = 0;
};

}  // namespace fluxnetes::matcher
