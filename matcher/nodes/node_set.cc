#include "matcher/nodes/node_set.h"

#include <bit>

namespace fluxnetes::matcher {

void NodeSet::Insert(NodeIndex node) {
  const auto word = static_cast<std::size_t>(node) / 64;
  if (word >= words_.size()) words_.resize(word + 1);
  words_[word] |= std::uint64_t{1} << (node % 64);
}

void NodeSet::Erase(NodeIndex node) {
  const auto word = static_cast<std::size_t>(node) / 64;
  if (word >= words_.size()) return;
  words_[word] &= ~(std::uint64_t{1} << (node % 64));
  while (!words_.empty() && words_.back() == 0) words_.pop_back();
}

int NodeSet::Count() const {
  int count = 0;
  for (const std::uint64_t word : words_) count += std::popcount(word);
  return count;
}

}  // namespace fluxnetes::matcher
