// What room was made on nodes and taken again, in the order in which that
// happened: by it a gang that waits sees whether it could start earlier than it
// is to (NodeGraph::MayStartEarlier).
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

// Amounts that were given back, or taken, on these nodes for [from, end).
struct RoomChange {
  std::vector<NodeIndex> nodes;  // each once, in order
  Time from = 0;
  Time end = kForever;
  // Per node and resource; none: as much as there may be.
  std::vector<std::int64_t> amounts = {};
  bool taken = false;

  // On the one that comes so manieth.
  std::span<const std::int64_t> AmountsOf(std::size_t place) const {
    const std::size_t resources = amounts.size() / nodes.size();
    return {amounts.data() + place * resources, resources};
  }
};

class RoomLog {
 public:
  struct Entry {
    std::uint64_t number = 0;  // of the change
    std::size_t place = 0;     // of the node among its nodes
  };

  void Add(RoomChange change);
  // Changes are numbered; this is the number of the next.
  std::uint64_t end() const { return first_ + changes_.size(); }
  bool empty() const { return changes_.empty(); }
  // That of the first after the last that made room.
  std::uint64_t end_of_made() const { return end_of_made_; }
  const RoomChange& At(std::uint64_t number) const {
    return changes_[number - first_];
  }
  // Those on the node from that number on.
  std::span<const Entry> On(NodeIndex node, std::uint64_t from) const;
  // Forgets the changes before that number.
  void ForgetBefore(std::uint64_t number);

 private:
  std::uint64_t first_ = 0;
  std::uint64_t end_of_made_ = 0;
  std::deque<RoomChange> changes_;
  std::unordered_map<NodeIndex, std::vector<Entry>> by_node_;
};

}  // namespace fluxnetes::matcher
