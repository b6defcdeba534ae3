// The nodes that each NodeRules in use allows, as bits. They are made when the
// rules are taken, and updated as nodes change. So a match reads bits, and a
// node that changes costs one evaluation per rules in use.
//
// Part of a NodeGraph; owned by its thread.
// Tests: tests/matcher/rules/task_rules_test.cc.
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

using ShapeId = std::int32_t;  // interned NodeRules

class NodeShapes {
 public:
  struct Shape {
    std::uint64_t serial = 0;  // never used twice
    NodeBits affine;           // selector and affinity match
    NodeBits tolerated;        // no taint excludes the node
    NodeBits allowed;          // both
    // The nodes by points: the weights of the preferences that match, less
    // kPreferencePoints for each taint PreferNoSchedule that is not tolerated.
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

  // Adds or updates a node with its present labels and taints.
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
    std::vector<std::int32_t> points;  // [node]: its points in by_points
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
