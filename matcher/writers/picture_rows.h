// The rows of a picture: the containment tree folded to its nodes.
// Tests: tests/matcher/writers/picture_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "matcher/graph/resource_graph.h"

namespace fluxnetes::matcher {

// Units by type, for people: sums are not exact beyond 2^53.
using UnitSums = std::map<TypeId, double>;

class PictureRows {
 public:
  explicit PictureRows(const ResourceGraph& graph);

  struct Row {
    VertexIndex vertex = kNoVertex;
    UnitSums units;  // below it, or its own if it is a leaf
  };
  const std::vector<Row>& rows() const { return rows_; }

  // Returns what is held of each row, by row number: units of the vertices and
  // of all that they contain, each counted once.
  std::map<int, UnitSums> Fold(std::span<const VertexIndex> held);

 private:
  void Count(VertexIndex v, UnitSums& sums) const;

  const ResourceGraph& graph_;
  std::vector<Row> rows_;
  std::vector<int> row_of_;  // [vertex], -1: above all rows
  std::vector<int> seen_;    // [vertex]: the call of Fold() that counted it
  int folds_ = 0;
};

}  // namespace fluxnetes::matcher
