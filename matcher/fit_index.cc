#include "matcher/fit_index.h"

#include <numeric>

namespace fluxnetes::matcher {

void NodeOrder::SortById(std::span<const std::int64_t> ids) {
  nodes_.resize(ids.size());
  std::iota(nodes_.begin(), nodes_.end(), 0);
  std::stable_sort(nodes_.begin(), nodes_.end(),
                   [&](NodeIndex a, NodeIndex b) { return ids[a] < ids[b]; });
  SetPositions();
}

void NodeOrder::SortByIndex(int nodes) {
  nodes_.resize(nodes);
  std::iota(nodes_.begin(), nodes_.end(), 0);
  SetPositions();
}

void NodeOrder::SetPositions() {
  positions_.resize(nodes_.size());
  for (int i = 0; i < size(); ++i) positions_[nodes_[i]] = i;
}

void FitIndex::Build(const NodeOrder& order, const Columns& columns) {
  order_ = &order;
  columns_ = &columns;
  const int blocks = (order.size() + kBlock - 1) / kBlock;
  bounds_.assign(columns.size(), std::vector<std::int64_t>(blocks, kClosed));
  loose_.assign(blocks, 0);
  for (int block = 0; block < blocks; ++block) Compute(block);
}

void FitIndex::Changed(NodeIndex node) {
  const int block = order_->PositionOf(node) / kBlock;
  for (std::size_t r = 0; r < bounds_.size(); ++r) {
    bounds_[r][block] = std::max(bounds_[r][block], (*columns_)[r][node]);
  }
  loose_[block] = 1;
}

void FitIndex::Tighten(int block) {
  if (loose_[block]) Compute(block);
}

void FitIndex::Compute(int block) {
  const int begin = block * kBlock;
  const int end = std::min(begin + kBlock, order_->size());
  for (std::size_t r = 0; r < bounds_.size(); ++r) {
    std::int64_t bound = kClosed;
    for (int i = begin; i < end; ++i) {
      bound = std::max(bound, (*columns_)[r][order_->At(i)]);
    }
    bounds_[r][block] = bound;
  }
  loose_[block] = 0;
}

}  // namespace fluxnetes::matcher
