// A set of vertices of one graph: one bit for each VertexIndex.
// Tests: tests/matcher/inside/node_interior_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "matcher/graph/resource_graph.h"

namespace fluxnetes::matcher {

class VertexMask {
 public:
  VertexMask() = default;
  explicit VertexMask(int vertices) : words_((vertices + 63) / 64) {}

  void Clear(int vertices) { words_.assign((vertices + 63) / 64, 0); }
  void Copy(std::span<const std::uint64_t> words) {
    words_.assign(words.begin(), words.end());
  }
  void Insert(VertexIndex v) { words_[v / 64] |= std::uint64_t{1} << (v % 64); }
  bool Contains(VertexIndex v) const {
    return (words_[v / 64] >> (v % 64) & 1) != 0;
  }
  // The masks must be of graphs of one size.
  void InsertAll(const VertexMask& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      words_[i] |= other.words_[i];
    }
  }
  void InsertBoth(const VertexMask& a, const VertexMask& b) {
    for (std::size_t i = 0; i < words_.size(); ++i)
      words_[i] |= a.words_[i] & b.words_[i];
  }
  bool Meets(const VertexMask& other) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if ((words_[i] & other.words_[i]) != 0) return true;
    }
    return false;
  }
  std::span<const std::uint64_t> words() const { return words_; }
  bool operator==(const VertexMask&) const = default;

  // Calls `use` with each vertex of a word of bits.
  template <typename Use>
  static void ForEach(std::uint64_t bits, std::size_t word, const Use& use) {
    for (; bits != 0; bits &= bits - 1) {
      use(static_cast<VertexIndex>(word * 64 + __builtin_ctzll(bits)));
    }
  }
  template <typename Use>
  void ForEach(const Use& use) const {
    for (std::size_t i = 0; i < words_.size(); ++i) ForEach(words_[i], i, use);
  }

 private:
  std::vector<std::uint64_t> words_;
};

inline std::size_t HashOf(std::span<const std::uint64_t> words) {
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  for (const std::uint64_t word : words) {
    hash = (hash ^ word) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace fluxnetes::matcher
