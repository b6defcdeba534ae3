// Finds the next node that can hold a task without looking at those that
// cannot. Nodes stand in the order of a policy; for each block of 64 an upper
// bound of what is free per resource is kept. A bound rises at once when
// something is given back, and is brought down only when a search found nothing
// behind it. So a change costs next to nothing, and a search on a full cluster
// reads one bound per 64 nodes.
//
// Parts of a NodeGraph; owned by its thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "matcher/gang.h"

namespace fluxnetes::matcher {

// Which free amounts: those of a node on which jobs hold nothing, those of now,
// the least of all times from now on.
enum class View { kEmpty, kNow, kEver };

using Columns = std::vector<std::vector<std::int64_t>>;  // [resource][node]

// In all columns of a node that takes nothing.
inline constexpr std::int64_t kClosed =
    std::numeric_limits<std::int64_t>::min();

// What a task needs, without the zeros.
struct Need {
  int resource = 0;
  std::int64_t amount = 0;
};

class NodeOrder {
 public:
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

class FitIndex {
 public:
  static constexpr int kBlock = 64;

  bool ready() const { return order_ != nullptr; }
  void Build(const NodeOrder& order, const Columns& columns);
  void Drop() { order_ = nullptr; }

  // The entries of the node in the columns were changed.
  void Changed(NodeIndex node);

  bool MayHold(int block, std::span<const Need> needs) const {
    return std::all_of(needs.begin(), needs.end(), [&](const Need& need) {
      return bounds_[need.resource][block] >= need.amount;
    });
  }

  // Nothing was found in the block though the bound allowed it.
  void Tighten(int block);

 private:
  void Compute(int block);

  const NodeOrder* order_ = nullptr;
  const Columns* columns_ = nullptr;
  std::vector<std::vector<std::int64_t>> bounds_;  // [resource][block]
  std::vector<char> loose_;                        // [block]: may be too high
};

}  // namespace fluxnetes::matcher
