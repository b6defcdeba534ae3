#include "matcher/writers/picture_rows.h"

#include <algorithm>

namespace fluxnetes::matcher {

PictureRows::PictureRows(const ResourceGraph& graph)
    : graph_(graph), row_of_(graph.size(), -1), seen_(graph.size()) {
  const std::vector<VertexIndex> order = graph.PostOrder(graph.root());
  // Goes from the top down: what is below a row belongs to it.
  std::vector<VertexIndex> top(graph.size(), kNoVertex);
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    const VertexIndex v = *at;
    const VertexIndex parent = graph.parent(v);
    if (parent != kNoVertex && top[parent] != kNoVertex) {
      top[v] = top[parent];
    } else if (graph.type(v) == types::kNode || graph.IsLeaf(v)) {
      top[v] = v;
    }
  }
  for (const VertexIndex v : order) {
    if (top[v] != v) continue;
    row_of_[v] = static_cast<int>(rows_.size());
    rows_.push_back({v, {}});
  }
  for (const VertexIndex v : order) {
    if (top[v] == kNoVertex) continue;
    row_of_[v] = row_of_[top[v]];
    Count(v, rows_[row_of_[v]].units);
  }
}

void PictureRows::Count(VertexIndex v, UnitSums& sums) const {
  const bool contains = !graph_.IsLeaf(v);
  if (contains && rows_[row_of_[v]].vertex == v) return;
  sums[graph_.type(v)] += static_cast<double>(graph_.units(v));
}

std::map<int, UnitSums> PictureRows::Fold(std::span<const VertexIndex> held) {
  ++folds_;
  std::map<int, UnitSums> sums;
  std::vector<VertexIndex> todo(held.begin(), held.end());
  while (!todo.empty()) {
    const VertexIndex v = todo.back();
    todo.pop_back();
    if (seen_[v] == folds_) continue;
    seen_[v] = folds_;
    if (row_of_[v] >= 0) Count(v, sums[row_of_[v]]);
    for (EdgeIndex e = graph_.FirstOut(v); e != kNoEdge;
         e = graph_.NextOut(e)) {
      todo.push_back(graph_.target(e));
    }
  }
  return sums;
}

}  // namespace fluxnetes::matcher
