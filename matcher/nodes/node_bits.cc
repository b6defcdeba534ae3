#include "matcher/nodes/node_bits.h"

#include <algorithm>
#include <bit>

namespace fluxnetes::matcher {
namespace {

constexpr int kBits = 64;
static_assert(kBits == NodeOrder::kBlock);

void SetBit(Words& words, int at, bool on) {
  const auto word = static_cast<std::size_t>(at) / kBits;
  if (word >= words.size()) words.resize(word + 1);
  const std::uint64_t bit = std::uint64_t{1} << (at % kBits);
  if (on) {
    words[word] |= bit;
  } else {
    words[word] &= ~bit;
  }
}

// Larger masks are set word by word.
constexpr std::size_t kFew = 8;

}  // namespace

void NodeOrders::Add(NodeIndex node, std::int64_t id) {
  if (node == size()) {
    ids_.push_back(id);
  } else if (ids_[node] == id) {
    return;
  }
  ids_[node] = id;
  sorted_[0] = sorted_[1] = false;
  ++version_;
}

const NodeOrder& NodeOrders::At(bool by_id) {
  NodeOrder& order = orders_[by_id];
  if (!sorted_[by_id]) {
    if (by_id) {
      order.SortById(ids_);
    } else {
      order.SortByIndex(size());
    }
    sorted_[by_id] = true;
  }
  return order;
}

void NodeMask::Insert(NodeIndex node) {
  nodes_.push_back(node);
  versions_[0] = versions_[1] = 0;
  dense_versions_[0] = dense_versions_[1] = 0;
}

void NodeMask::Erase(NodeIndex node) {
  const auto found = std::find(nodes_.begin(), nodes_.end(), node);
  if (found == nodes_.end()) return;
  *found = nodes_.back();
  nodes_.pop_back();
  versions_[0] = versions_[1] = 0;
  dense_versions_[0] = dense_versions_[1] = 0;
}

const std::vector<NodeMask::Word>& NodeMask::At(bool by_id,
                                                NodeOrders& orders) {
  auto& words = words_[by_id];
  if (versions_[by_id] == orders.version()) return words;
  const NodeOrder& order = orders.At(by_id);
  std::vector<int> places;
  places.reserve(nodes_.size());
  for (const NodeIndex node : nodes_) places.push_back(order.PositionOf(node));
  std::sort(places.begin(), places.end());
  words.clear();
  for (const int place : places) {
    if (words.empty() || words.back().block != place / kBits) {
      words.push_back({place / kBits, 0});
    }
    words.back().bits |= std::uint64_t{1} << (place % kBits);
  }
  versions_[by_id] = orders.version();
  return words;
}

const std::uint64_t* NodeMask::Dense(bool by_id, NodeOrders& orders) {
  Words& dense = dense_[by_id];
  if (dense_versions_[by_id] != orders.version()) {
    dense.assign(orders.blocks(), 0);
    for (const Word& word : At(by_id, orders)) dense[word.block] = word.bits;
    dense_versions_[by_id] = orders.version();
  }
  return dense.data();
}

void NodeBits::Set(NodeIndex node, bool on, NodeOrders& orders) {
  SetBit(by_index_, node, on);
  if (version_ == orders.version()) {
    SetBit(by_id_, orders.At(true).PositionOf(node), on);
  }
}

void NodeBits::Set(NodeMask& mask, bool on, NodeOrders& orders) {
  if (mask.nodes().empty()) return;
  if (mask.nodes().size() <= kFew) {
    for (const NodeIndex node : mask.nodes()) Set(node, on, orders);
    return;
  }
  const auto apply = [&](Words& words, bool by_id) {
    const auto& parts = mask.At(by_id, orders);
    if (words.size() <= static_cast<std::size_t>(parts.back().block)) {
      words.resize(parts.back().block + 1);
    }
    for (const NodeMask::Word& part : parts) {
      std::uint64_t& word = words[part.block];
      word = on ? word | part.bits : word & ~part.bits;
    }
  };
  apply(by_index_, false);
  if (version_ == orders.version()) apply(by_id_, true);
}

void NodeBits::Clear() {
  by_index_.clear();
  by_id_.clear();
  version_ = 0;
}

int NodeBits::Count() const {
  int count = 0;
  for (const std::uint64_t word : by_index_) count += std::popcount(word);
  return count;
}

int CountCommon(const NodeBits& a, const NodeBits& b, const NodeSet* eligible) {
  int count = 0;
  for (std::size_t word = 0; word < a.words(); ++word) {
    std::uint64_t left = a.WordAt(word) & b.WordAt(word);
    if (eligible == nullptr) {
      count += std::popcount(left);
      continue;
    }
    for (; left != 0; left &= left - 1) {
      const int node = static_cast<int>(word) * kBits + std::countr_zero(left);
      count += eligible->Contains(node) ? 1 : 0;
    }
  }
  return count;
}

const std::uint64_t* NodeBits::At(bool by_id, NodeOrders& orders) {
  if (by_index_.empty()) return nullptr;
  const auto blocks = static_cast<std::size_t>(orders.blocks());
  if (by_index_.size() < blocks) by_index_.resize(blocks);
  if (!by_id) return by_index_.data();
  if (version_ != orders.version()) {
    const NodeOrder& order = orders.At(true);
    by_id_.assign(blocks, 0);
    for (std::size_t word = 0; word < by_index_.size(); ++word) {
      for (std::uint64_t left = by_index_[word]; left != 0; left &= left - 1) {
        const int node =
            static_cast<int>(word) * kBits + std::countr_zero(left);
        SetBit(by_id_, order.PositionOf(node), true);
      }
    }
    version_ = orders.version();
  }
  return by_id_.data();
}

}  // namespace fluxnetes::matcher
