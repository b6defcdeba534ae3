// Sets of nodes as bits, read in the order of a policy. A word has the bits of
// a block of 64 nodes, so a search skips 64 nodes with one instruction.
//
// Bits are kept by index. A second array, by place in the order of ids, is made
// when it is first read, kept up to date from then on, and made again after
// nodes were added.
//
// Parts of a NodeGraph; owned by its thread.
// Tests: tests/matcher/nodes/fit_limits_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "matcher/nodes/node_order.h"
#include "matcher/nodes/node_set.h"

namespace fluxnetes::matcher {

// The two orders that policies use, by index and by id; made when first read.
class NodeOrders {
 public:
  void Add(NodeIndex node, std::int64_t id);  // new, or with another id
  int size() const { return static_cast<int>(ids_.size()); }
  int blocks() const {
    return (size() + NodeOrder::kBlock - 1) / NodeOrder::kBlock;
  }
  std::int64_t Id(NodeIndex node) const { return ids_[node]; }
  const NodeOrder& At(bool by_id);
  // grows when the orders change
  std::uint64_t version() const { return version_; }

 private:
  std::vector<std::int64_t> ids_;
  NodeOrder orders_[2];  // [by_id]
  bool sorted_[2] = {};  // [by_id]
  std::uint64_t version_ = 1;
};

using Words = std::vector<std::uint64_t>;

// Nodes that enter and leave sets together, such as a domain; few or many.
class NodeMask {
 public:
  struct Word {
    std::int32_t block = 0;
    std::uint64_t bits = 0;
  };

  void Insert(NodeIndex node);
  void Erase(NodeIndex node);
  const std::vector<NodeIndex>& nodes() const { return nodes_; }
  // Returns the words that are not 0, in order of block.
  const std::vector<Word>& At(bool by_id, NodeOrders& orders);
  // Returns all words: as many as the orders have blocks.
  const std::uint64_t* Dense(bool by_id, NodeOrders& orders);
  // True if there are so many nodes that looking up bits here beats copying
  // them.
  bool large() const { return nodes_.size() > kLarge; }

 private:
  static constexpr std::size_t kLarge = 256;

  std::vector<NodeIndex> nodes_;
  std::vector<Word> words_[2];      // [by_id]
  std::uint64_t versions_[2] = {};  // [by_id]; 0: outdated
  Words dense_[2];
  std::uint64_t dense_versions_[2] = {};
};

class NodeBits {
 public:
  bool Contains(NodeIndex node) const {
    const auto word = static_cast<std::size_t>(node) / 64;
    return word < by_index_.size() && (by_index_[word] >> (node % 64) & 1) != 0;
  }
  void Set(NodeIndex node, bool on, NodeOrders& orders);
  void Set(NodeMask& mask, bool on, NodeOrders& orders);
  void Clear();
  int Count() const;
  std::uint64_t WordAt(std::size_t word) const {  // by index
    return word < by_index_.size() ? by_index_[word] : 0;
  }
  std::size_t words() const { return by_index_.size(); }
  // Returns as many words as the orders have blocks; null if no bit was ever
  // set.
  const std::uint64_t* At(bool by_id, NodeOrders& orders);

 private:
  Words by_index_;
  Words by_id_;
  std::uint64_t version_ = 0;  // of by_id_
};

// Returns how many nodes are in all of the sets; `eligible` may be null.
int CountCommon(const NodeBits& a, const NodeBits& b, const NodeSet* eligible);

}  // namespace fluxnetes::matcher
