// The nodes that a group of tasks may go to, best first: by points, then in the
// order of the policy. What rules say of them comes as words of bits, so only
// nodes come up that no rule excludes; whether they have room is for the caller
// to see.
//
//   for (NodeIndex n = scan.Next(); n >= 0; n = scan.Next()) {
//     if (no room) scan.Pass(); else { place; scan.Placed(); }
//   }
//
// Part of a NodeGraph; owned by its thread.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "matcher/gangs/node_table.h"
#include "matcher/nodes/node_order.h"

namespace fluxnetes::matcher {

// The free amounts that a plan is made on, and the tasks that it goes by.
struct Ground {
  const Columns* columns = nullptr;
  bool by_id = true;
  bool descending = false;
  FitLimits* limits = nullptr;  // null: look at every node
  // Where set, nodes with a start ahead are looked at over [now, end).
  bool over_time = false;
  Time end = kForever;
  View view = View::kNow;  // of the columns, if limits are set
  Stage present = Stage::kNow;
  Stage blocking = Stage::kNow;
};

class NodeScan {
 public:
  explicit NodeScan(NodeTable& nodes) : nodes_(nodes) {}

  // `rules` may be null. `within`, if any, are the only places to look at.
  void Begin(const Ground& ground, const std::vector<Need>& needs,
             const BookedRules* rules,
             const std::vector<NodeMask::Word>* within);
  // The node that stands first, -1 if there is none. The same one until Pass()
  // or Placed().
  NodeIndex Next();
  // It does not take one more, nor will it in this scan.
  void Pass();
  // It took a task: what rules say is looked at again.
  void Placed();

  // Whether the first task would start a series: nothing that its affinity asks
  // for is there, and it would be the first itself.
  bool StartsSeries() const;
  // Leaves the domain out, or all others. From the front again.
  void LeaveOut(KeyId key, DomainId domain);
  void StayIn(KeyId key, DomainId domain);

 private:
  using Sets = std::vector<const std::uint64_t*>;
  // Nodes that are in one of `in` and in none of `out`.
  struct Part {
    Sets in;
    Sets out;
    int weight = 0;
  };
  struct Choice {
    const std::uint64_t* in = nullptr;  // null: all
    std::uint32_t parts = 0;            // of preferred_, that hold
  };
  struct Level {
    int points = 0;
    std::vector<Choice> choices;
  };

  void Restart();
  void ReadRules();
  void ReadPreferences();
  void MakeLevels();
  const std::uint64_t* Bits(NodeBits& bits) const;
  void AddIn(const std::uint64_t* words);
  void AddIn(KeyId key, DomainSet& domains);
  std::uint64_t Changes() const;
  std::uint64_t Allowed(int block) const;
  std::uint64_t Member(const Part& part, int block) const;
  std::uint64_t InLevel(int block) const;
  int blocks() const;
  int BlockAt(int step) const;
  bool NextBlock();
  int FirstPlace(std::uint64_t word) const;
  NodeIndex FindBest();
  int PointsAt(int block, int bit, NodeIndex node) const;

  NodeTable& nodes_;
  const Ground* ground_ = nullptr;
  const NodeOrder* order_ = nullptr;
  const BookedRules* rules_ = nullptr;
  const std::vector<NodeMask::Word>* within_ = nullptr;
  // Nodes that are in all of in_, for each of any_ in one of it, and in none of
  // out_.
  Sets in_;
  std::vector<Sets> any_;
  std::size_t used_any_ = 0;  // of any_; the others keep their room
  Sets out_;
  bool nowhere_ = false;
  std::vector<Part> preferred_;
  std::vector<Level> levels_;  // none: each node is looked at
  Words passed_;               // by place; empty: none
  FitLimits::Entry* limit_ = nullptr;
  bool rereads_ = false;  // rules depend on what is placed

  std::size_t level_ = 0;
  int step_ = -1;  // of the block
  int block_ = -1;
  std::uint64_t word_ = 0;
  int place_ = -1;
  std::uint64_t changes_ = 0;
};

}  // namespace fluxnetes::matcher
