// Blocks of nodes that were found to have no room for one task of some needs
// and node rules, until something changes there. A cluster that is filled from
// one end has many of them before the first node with room, and bounds of
// blocks do not tell: other nodes of the block, that the rules do not allow,
// may be empty.
//
// Part of a NodeGraph; owned by its thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "matcher/fit_index.h"
#include "matcher/node_bits.h"

namespace fluxnetes::matcher {

class FullBlocks {
 public:
  struct Entry {
    View view = View::kNow;
    bool by_id = true;
    std::uint64_t shape = 0;  // its serial; 0: any node
    std::vector<Need> needs;
    Words full;  // a bit per block

    bool Has(int block) const {
      return (full[block / 64] >> (block % 64) & 1) != 0;
    }
    void Set(int block) {
      full[block / 64] |= std::uint64_t{1} << (block % 64);
    }
  };

  // Found or made; stays where it is until the next call.
  Entry& Of(View view, bool by_id, std::uint64_t shape,
            const std::vector<Need>& needs, int blocks) {
    const auto alike = [](const Need& a, const Need& b) {
      return a.resource == b.resource && a.amount == b.amount;
    };
    for (Entry& entry : entries_) {
      if (entry.shape == shape && entry.view == view && entry.by_id == by_id &&
          std::ranges::equal(entry.needs, needs, alike)) {
        return entry;
      }
    }
    if (entries_.size() < kMost) {
      next_ = entries_.size();
      entries_.emplace_back();
    }
    Entry& entry = entries_[next_++ % kMost];
    entry = {view, by_id, shape, needs, Words(blocks / 64 + 1)};
    return entry;
  }

  // Something changed at these places of the orders.
  void Changed(int place_by_index, int place_by_id) {
    for (Entry& entry : entries_) {
      const int block =
          (entry.by_id ? place_by_id : place_by_index) / FitIndex::kBlock;
      entry.full[block / 64] &= ~(std::uint64_t{1} << (block % 64));
    }
  }
  void Clear() { entries_.clear(); }
  bool empty() const { return entries_.empty(); }

 private:
  static constexpr std::size_t kMost = 64;

  std::vector<Entry> entries_;
  std::size_t next_ = 0;
};

}  // namespace fluxnetes::matcher
