#include "matcher/nodes/node_order.h"

#include <algorithm>
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

}  // namespace fluxnetes::matcher
