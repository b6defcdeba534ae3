// The log of room that was made on nodes and taken again, in order. By it a
// waiting gang sees whether it could start before its reservation
// (NodeGraph::MayStartEarlier).
//
//   const auto looked = log.end();
//   log.Add({nodes, from, end, amounts});
//   graph.MayStartEarlier(gang, own, log, looked, now, shortfall);
//
// Owned by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

#include "matcher/nodes/node_set.h"
#include "matcher/units.h"

namespace fluxnetes::matcher {

// Amounts that were released, or taken, on these nodes for [from, end).
struct RoomChange {
  std::vector<NodeIndex> nodes;  // each once, in order
  Time from = 0;
  Time end = kForever;
  // Per node and resource; empty: unknown, as much as there may be.
  std::vector<std::int64_t> amounts = {};
  bool taken = false;

  // Returns the amounts on nodes[place].
  std::span<const std::int64_t> AmountsOf(std::size_t place) const {
    const std::size_t resources = amounts.size() / nodes.size();
    return {amounts.data() + place * resources, resources};
  }
};

class RoomLog {
 public:
  struct Entry {
    std::uint64_t number = 0;  // of the change
    std::size_t place = 0;     // index of the node in the change's nodes
  };

  void Add(RoomChange change);
  // Changes are numbered; returns the number of the next one.
  std::uint64_t end() const { return first_ + changes_.size(); }
  bool empty() const { return changes_.empty(); }
  // Returns the number after that of the last change that made room.
  std::uint64_t end_of_made() const { return end_of_made_; }
  const RoomChange& At(std::uint64_t number) const {
    return changes_[number - first_];
  }
  // Returns the changes on the node from that number on.
  std::span<const Entry> On(NodeIndex node, std::uint64_t from) const;
  // Drops the changes before that number.
  void ForgetBefore(std::uint64_t number);

 private:
  std::uint64_t first_ = 0;
  std::uint64_t end_of_made_ = 0;
  std::deque<RoomChange> changes_;
  std::unordered_map<NodeIndex, std::vector<Entry>> by_node_;
};

}  // namespace fluxnetes::matcher
