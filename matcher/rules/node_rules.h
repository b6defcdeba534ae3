// For each NodeRules in use the nodes that it allows, as bits: made when it is
// first asked for, and kept up to date as nodes change. So a match reads bits,
// and a node that changes costs one look per rules in use.
//
// Part of a NodeGraph; owned by its thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "matcher/nodes/node_bits.h"
#include "matcher/rules/node_labels.h"
#include "matcher/rules/task_rules.h"

namespace fluxnetes::matcher {

using ShapeId = std::int32_t;  // of interned NodeRules

class NodeShapes {
 public:
  struct Shape {
    std::uint64_t serial = 0;  // never given twice
    NodeBits affine;           // selector and affinity hold
    NodeBits tolerated;        // no taint keeps away
    NodeBits allowed;          // both
    // The nodes by what they are worth: the weights of the preferences that
    // hold, less kPreferencePoints for each taint that it would rather avoid.
    std::map<int, NodeBits, std::greater<>> by_points;
  };

  NodeShapes(NodeLabels& labels, NodeOrders& orders)
      : labels_(labels), orders_(orders) {}

  ShapeId Take(const NodeRules& rules);
  void Give(ShapeId id);
  Shape& operator[](ShapeId id) { return entries_[id].shape; }
  const NodeRules& Rules(ShapeId id) const { return entries_[id].rules; }
  int Points(ShapeId id, NodeIndex node) const {
    return entries_[id].points[node];
  }

  // The node is in the graph, with labels and taints as they are now.
  void Update(NodeIndex node);
  void Remove(NodeIndex node);

 private:
  struct Requirement {
    LabelRequirement asked;
    TextId key = -1;
  };
  using Term = std::vector<Requirement>;
  struct Entry {
    std::string key;  // empty: unused
    NodeRules rules;
    int uses = 0;
    Term selector;
    std::vector<Term> affinity;
    std::vector<std::pair<int, Term>> preferred;
    std::vector<std::int32_t> points;  // [node], where by_points has it
    Shape shape;
  };

  Term Compile(const LabelTerm& term);
  void GiveTexts(const Term& term);
  bool HoldsOn(const Term& term, NodeIndex node) const;
  void Evaluate(Entry& entry, NodeIndex node);
  void Drop(ShapeId id);

  NodeLabels& labels_;
  NodeOrders& orders_;
  std::vector<char> present_;  // [node]
  std::deque<Entry> entries_;
  std::unordered_map<std::string, ShapeId> by_key_;
  std::vector<ShapeId> free_;
  std::uint64_t last_serial_ = 0;
  std::deque<ShapeId> unused_;  // kept for a while, oldest first
};

}  // namespace fluxnetes::matcher
