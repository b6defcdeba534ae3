// How many tasks there are in each domain of a key, for counting that follows
// every task that comes or goes. Few domains of many have any, so only these
// take room.
//
// Parts of a NodeGraph; owned by its thread.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "matcher/nodes/node_bits.h"
#include "matcher/rules/node_labels.h"

namespace fluxnetes::matcher {

// A table with open addressing.
class DomainCounts {
 public:
  struct Entry {
    DomainId domain = -1;  // -1: empty
    std::int32_t count = 0;
  };

  std::int32_t At(DomainId domain) const;
  // What it is then.
  std::int32_t Add(DomainId domain, std::int32_t tasks);
  // Empty ones, and such with a count of 0, may be among them.
  const std::vector<Entry>& entries() const { return entries_; }
  void Clear() { entries_.clear(), used_ = 0; }

 private:
  std::size_t PlaceOf(DomainId domain) const;
  void Grow();

  std::vector<Entry> entries_;  // as many as a power of two
  std::size_t used_ = 0;
};

// Where domains are looked up and orders of nodes are.
struct NodeSpace {
  NodeLabels& labels;
  NodeOrders& orders;
};

// Some domains of a key, as the nodes that are in them. The bits of large ones
// are not copied: they come and go with every task.
class DomainSet {
 public:
  // The domain was not in it, or was.
  void Set(KeyId key, DomainId domain, bool on, NodeSpace space);
  // A node has come into a domain, or left one.
  void SetNode(NodeIndex node, DomainId domain, bool on, NodeOrders& orders);
  void DropNode(NodeIndex node, NodeOrders& orders);
  bool Contains(NodeIndex node, DomainId domain) const;
  // Appends words, the union of which has the nodes.
  void Read(bool by_id, KeyId key, NodeSpace space,
            std::vector<const std::uint64_t*>& words);

 private:
  bool HasLarge(DomainId domain) const;

  NodeBits bits_;
  std::vector<DomainId> large_;
};

// In which domains there is any.
class Presence {
 public:
  void Add(KeyId key, DomainId domain, std::int32_t tasks, NodeSpace space);
  std::int64_t total() const { return total_; }
  std::int32_t At(DomainId domain) const { return counts_.At(domain); }
  const DomainCounts& counts() const { return counts_; }
  // The nodes of these domains.
  DomainSet& nodes() { return nodes_; }
  // Grows when a domain gets its first or loses its last.
  std::uint64_t changes() const { return changes_; }
  // Grows when one comes.
  std::uint64_t arrivals() const { return arrivals_; }

 private:
  DomainCounts counts_;
  std::int64_t total_ = 0;
  DomainSet nodes_;
  std::uint64_t changes_ = 0;
  std::uint64_t arrivals_ = 0;
};

// In which domains one task more would be too many of a spread constraint.
class Skew {
 public:
  struct Bound {
    int max_skew = 1;
    int min_domains = 1;
    int self = 1;     // whether the task to be placed is counted itself
    int domains = 0;  // those that are looked at
  };

  void SetBound(KeyId key, const Bound& bound, NodeSpace space);
  void Add(KeyId key, DomainId domain, std::int32_t tasks, NodeSpace space);
  std::int32_t At(DomainId domain) const { return counts_.At(domain); }
  const DomainCounts& counts() const { return counts_; }
  DomainSet& over() { return over_; }
  // A node has come into the domain.
  void Show(NodeIndex node, DomainId domain, NodeOrders& orders) {
    over_.SetNode(node, domain, counts_.At(domain) > limit_, orders);
  }
  std::uint64_t changes() const { return changes_; }
  // Grows when a domain may take one more that could not, or several together.
  std::uint64_t lifts() const { return lifts_; }
  // Grows when one comes.
  std::uint64_t arrivals() const { return arrivals_; }

 private:
  std::int32_t Limit() const;
  void Mark(KeyId key, DomainId domain, bool over, NodeSpace space);
  void MoveLimit(KeyId key, NodeSpace space);

  Bound bound_;
  DomainCounts counts_;
  std::map<std::int32_t, std::int32_t> with_;  // domains by count, but 0
  std::int32_t some_ = 0;                      // domains in it
  std::int32_t limit_ = 0;
  DomainSet over_;
  std::uint64_t changes_ = 0;
  std::uint64_t lifts_ = 0;
  std::uint64_t arrivals_ = 0;
};

}  // namespace fluxnetes::matcher
