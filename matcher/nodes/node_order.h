// Nodes in the order of a policy, and columns of amounts that are read in that
// order, 64 nodes at a time.
//
// Parts of a NodeGraph; owned by its thread.
// Tests: tests/matcher/nodes/fit_limits_test.cc,
// tests/matcher/gangs/gang_test.cc.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "matcher/nodes/node_set.h"

namespace fluxnetes::matcher {

// Which free amounts: those if no job held anything, those of now, or the least
// of all times from now on.
enum class View { kEmpty, kNow, kEver };

using Columns = std::vector<std::vector<std::int64_t>>;  // [resource][node]

// The amount in all columns of a node that takes no tasks.
inline constexpr std::int64_t kClosed =
    std::numeric_limits<std::int64_t>::min();

// What a task needs of a resource; above 0.
struct Need {
  int resource = 0;
  std::int64_t amount = 0;
  bool once = false;  // the first task on a node takes it for those after it
  auto operator<=>(const Need&) const = default;
};

class NodeOrder {
 public:
  static constexpr int kBlock = 64;

  void SortById(std::span<const std::int64_t> ids);
  void SortByIndex(int nodes);

  int size() const { return static_cast<int>(nodes_.size()); }
  NodeIndex At(int position) const { return nodes_[position]; }
  int PositionOf(NodeIndex node) const { return positions_[node]; }

 private:
  void SetPositions();

  std::vector<NodeIndex> nodes_;
  std::vector<std::int32_t> positions_;
};

}  // namespace fluxnetes::matcher
