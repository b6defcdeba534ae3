// Labels and taints of nodes, and the domains of each topology key in use:
// which nodes have which of its values.
//
// Part of a NodeGraph; owned by its thread.
// Tests: tests/matcher/rules/task_rules_test.cc.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "matcher/nodes/node_bits.h"
#include "matcher/rules/task_rules.h"
#include "matcher/rules/text_pool.h"

namespace fluxnetes::matcher {

using KeyId = std::int32_t;     // a topology key
using DomainId = std::int32_t;  // a value of a key; -1: none

// The key by which each node is its own domain, numbered by the node's index.
inline constexpr KeyId kEachNode = 0;

class NodeLabels {
 public:
  explicit NodeLabels(NodeOrders& orders);

  void Reserve(NodeIndex node);  // makes room for the node
  // Replaces the name, labels and taints of the node.
  void Set(NodeIndex node, std::string_view name, const Labels& labels,
           const std::vector<Taint>& taints);
  void Clear(NodeIndex node) { Set(node, "", {}, {}); }

  int size() const { return static_cast<int>(nodes_.size()); }
  const std::string& Name(NodeIndex node) const { return nodes_[node].name; }
  // Returns null if the node has no such label.
  const std::string* Value(NodeIndex node, TextId key) const;
  const std::vector<Taint>& Taints(NodeIndex node) const {
    return nodes_[node].taints;
  }
  Labels LabelsOf(NodeIndex node) const;
  TextPool& texts() { return texts_; }

  // Adds a use of the key. Its domains are made at the first use, and kept as
  // long as the key is used or a node has it.
  KeyId TakeKey(std::string_view key);
  void GiveKey(KeyId key);
  int keys() const { return static_cast<int>(keys_.size()); }
  const std::string& KeyName(KeyId key) const;

  DomainId Domain(KeyId key, NodeIndex node) const {
    return key == kEachNode ? node : keys_[key].of[node];
  }
  // Domain ids are below this; some may be unused.
  int domains(KeyId key) const {
    return static_cast<int>(keys_[key].domains.size());
  }
  NodeMask& Mask(KeyId key, DomainId domain) {
    return keys_[key].domains[domain].mask;
  }
  const std::string& DomainName(KeyId key, DomainId domain) const;
  NodeBits& Having(KeyId key) { return keys_[key].having; }

 private:
  struct Node {
    std::string name;
    std::vector<std::pair<TextId, TextId>> labels;  // in order of the key's id
    std::vector<Taint> taints;
  };
  struct Domains {
    TextId value = -1;
    NodeMask mask;
  };
  struct Key {
    TextId text = -1;  // -1: unused
    int uses = 0;
    std::vector<DomainId> of;  // [node]
    std::vector<Domains> domains;
    std::unordered_map<TextId, DomainId> by_value;
    std::vector<DomainId> unused;
    NodeBits having;
  };

  TextId ValueId(NodeIndex node, TextId key) const;
  void Enter(Key& key, NodeIndex node);
  void Leave(Key& key, NodeIndex node);
  void DropIfUnused(Key& key);

  NodeOrders& orders_;
  TextPool texts_;
  std::vector<Node> nodes_;
  std::deque<Key> keys_;
};

}  // namespace fluxnetes::matcher
