// The number of tasks in each domain of a topology key, updated with every task
// that is added or removed. Few of the domains hold tasks, so only these take
// memory.
//
// Parts of a NodeGraph; owned by its thread.
// Tests: tests/matcher/rules/task_rules_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "matcher/nodes/node_bits.h"
#include "matcher/rules/node_labels.h"

namespace fluxnetes::matcher {

// A hash table with open addressing.
class DomainCounts {
 public:
  struct Entry {
    DomainId domain = -1;  // -1: empty
    std::int32_t count = 0;
  };

  std::int32_t At(DomainId domain) const;
  // Returns the new count.
  std::int32_t Add(DomainId domain, std::int32_t tasks);
  // Some entries may be empty, or have a count of 0.
  const std::vector<Entry>& entries() const { return entries_; }
  void Clear() { entries_.clear(), used_ = 0; }

 private:
  std::size_t PlaceOf(DomainId domain) const;
  void Grow();

  std::vector<Entry> entries_;  // the size is a power of two
  std::size_t used_ = 0;
};

// Labels and node orders, which domain sets look up.
struct NodeSpace {
  NodeLabels& labels;
  NodeOrders& orders;
};

// A set of domains of one key, read as the set of their nodes. The bits of a
// small domain are copied into it. A large domain (NodeMask::large) is only
// referred to, since a set changes with every task.
class DomainSet {
 public:
  // Adds a domain that is not in the set (`on`), or removes one that is.
  void Set(KeyId key, DomainId domain, bool on, NodeSpace space);
  // Sets the bit of a node that has joined a domain (`on`: the domain is in the
  // set), or clears that of a node that has left one.
  void SetNode(NodeIndex node, DomainId domain, bool on, NodeOrders& orders);
  void DropNode(NodeIndex node, NodeOrders& orders);
  bool Contains(NodeIndex node, DomainId domain) const;
  // Appends arrays of words whose union is the nodes of the set.
  void Read(bool by_id, KeyId key, NodeSpace space,
            std::vector<const std::uint64_t*>& words);

 private:
  bool HasLarge(DomainId domain) const;

  NodeBits bits_;
  std::vector<DomainId> large_;
};

// The domains that hold a task.
class Presence {
 public:
  void Add(KeyId key, DomainId domain, std::int32_t tasks, NodeSpace space);
  std::int64_t total() const { return total_; }
  std::int32_t At(DomainId domain) const { return counts_.At(domain); }
  const DomainCounts& counts() const { return counts_; }
  // The nodes of these domains.
  DomainSet& nodes() { return nodes_; }
  // Grows when a domain gets its first task or loses its last.
  std::uint64_t changes() const { return changes_; }
  // Grows when a task is added.
  std::uint64_t arrivals() const { return arrivals_; }

 private:
  DomainCounts counts_;
  std::int64_t total_ = 0;
  DomainSet nodes_;
  std::uint64_t changes_ = 0;
  std::uint64_t arrivals_ = 0;
};

// The domains where one more task would break a spread constraint.
class Skew {
 public:
  struct Bound {
    int max_skew = 1;
    int min_domains = 1;
    int self = 1;     // 1 if the task to be placed is counted too, else 0
    int domains = 0;  // domains that the constraint looks at
  };

  void SetBound(KeyId key, const Bound& bound, NodeSpace space);
  void Add(KeyId key, DomainId domain, std::int32_t tasks, NodeSpace space);
  std::int32_t At(DomainId domain) const { return counts_.At(domain); }
  const DomainCounts& counts() const { return counts_; }
  DomainSet& over() { return over_; }
  // Updates the bit of a node that has joined the domain.
  void Show(NodeIndex node, DomainId domain, NodeOrders& orders) {
    over_.SetNode(node, domain, counts_.At(domain) > limit_, orders);
  }
  std::uint64_t changes() const { return changes_; }
  // Grows when a domain may take one more task than before, or when several
  // domains together may.
  std::uint64_t lifts() const { return lifts_; }
  // Grows when a task is added.
  std::uint64_t arrivals() const { return arrivals_; }

 private:
  std::int32_t Limit() const;
  void Mark(KeyId key, DomainId domain, bool over, NodeSpace space);
  void MoveLimit(KeyId key, NodeSpace space);

  Bound bound_;
  DomainCounts counts_;
  // domains by count, without count 0
  std::map<std::int32_t, std::int32_t> with_;
  std::int32_t some_ = 0;  // domains in with_
  std::int32_t limit_ = 0;
  DomainSet over_;
  std::uint64_t changes_ = 0;
  std::uint64_t lifts_ = 0;
  std::uint64_t arrivals_ = 0;
};

}  // namespace fluxnetes::matcher
