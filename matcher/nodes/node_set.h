// Indices of the nodes of a NodeGraph, and sets of nodes.
// Tests: tests/matcher/gangs/gang_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fluxnetes::matcher {

using NodeIndex = std::int32_t;  // stable while the node is in the graph
using RulesId = std::int32_t;    // TaskRules, see NodeGraph::TakeRules

using ShapeId = std::int32_t;    // InsideRequest, see NodeGraph::TakeInside
using DevicesId = std::int32_t;  // TaskDevices, see NodeDevices::Take

inline constexpr RulesId kNoRules = -1;
inline constexpr ShapeId kNoShape = -1;
inline constexpr DevicesId kNoDevices = -1;

// The nodes that a task may use: one bit per NodeIndex. Bits past the end are
// 0.
class NodeSet {
 public:
  void Insert(NodeIndex node);
  void Erase(NodeIndex node);
  bool Contains(NodeIndex node) const {
    const auto word = static_cast<std::size_t>(node) / 64;
    return word < words_.size() && (words_[word] >> (node % 64) & 1) != 0;
  }
  int Count() const;
  bool operator==(const NodeSet&) const = default;

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace fluxnetes::matcher
