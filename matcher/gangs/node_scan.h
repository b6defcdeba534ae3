// The nodes that a group of tasks may use, best first: by points, then in the
// order of the policy. Rules are read as words of bits, so a node that a rule
// excludes never comes up. The caller checks whether a node has room.
//
//   for (NodeIndex n = scan.Next(); n >= 0; n = scan.Next()) {
//     if (no room) scan.Pass(); else { place; scan.Placed(); }
//   }
//
// Part of a NodeGraph; owned by its thread.
// Tests: tests/matcher/gangs/gang_test.cc,
// tests/matcher/rules/task_rules_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "matcher/gangs/node_columns.h"
#include "matcher/nodes/node_order.h"
#include "matcher/nodes/policy_order.h"

namespace fluxnetes::matcher {

// The basis of a plan: the free amounts that it reads, and the stages of the
// counts of other tasks.
struct PlanBasis {
  const Columns* columns = nullptr;
  PolicyOrder order;
  FitLimits* limits = nullptr;  // null: every node is looked at
  // If set, the amounts of a node with a start ahead are the least over [now,
  // end).
  bool over_time = false;
  // When the tasks would run, [from, end).
  Time from = 0;
  Time end = kForever;
  // What this job holds inside of nodes counts as free.
  std::optional<JobId> leaving = std::nullopt;
  // The gang's holder has tasks; their seats are in use in the columns, but
  // free for the gang in [now, end).
  bool own = false;
  View view = View::kNow;  // of the columns, if limits are set
  Stage present = Stage::kNow;
  Stage blocking = Stage::kNow;
};

class NodeScan {
 public:
  explicit NodeScan(NodeColumns& nodes) : nodes_(nodes) {}

  // `rules` may be null. `within`, if not null, lists the only places to look
  // at.
  void Begin(const PlanBasis& basis, const std::vector<Need>& needs,
             const BookedRules* rules,
             const std::vector<NodeMask::Word>* within);
  // Returns the best node that is left; -1 if there is none. Returns the same
  // node until Pass() or Placed().
  NodeIndex Next();
  // Drops the node from the scan: it takes no more tasks.
  void Pass();
  // Notes that the node took a task; the rules are read again.
  void Placed();

  // Instead of Next(): returns all nodes of the most points that are left, in
  // the order of the policy; none: there are none. Next time it returns those
  // of fewer points.
  void Gather(std::vector<NodeIndex>& nodes);
  // Drops these nodes: they take no more tasks.
  void PassAll(const std::vector<NodeIndex>& nodes);
  // Notes that a node that was gathered took a task: the rules are read again,
  // and nodes that were not dropped come up again.
  void PlacedOne();

  // True if the first task would start a series: no task that its affinity asks
  // for exists, and it matches its own affinity.
  bool StartsSeries() const;
  // Excludes the domain, or all others, and scans from the front again.
  void LeaveOut(KeyId key, DomainId domain);
  void StayIn(KeyId key, DomainId domain);

 private:
  using Sets = std::vector<const std::uint64_t*>;
  // Nodes that are in one set of `in` and in none of `out`.
  struct Part {
    Sets in;
    Sets out;
    int weight = 0;
  };
  struct Choice {
    const std::uint64_t* in = nullptr;  // null: all nodes
    std::uint32_t parts = 0;            // bits of the preferred_ that hold
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
  std::uint64_t WordAt(int step) const;
  bool NextBlock();
  void GatherBest(std::vector<NodeIndex>& nodes);
  int FirstPlace(std::uint64_t word) const;
  NodeIndex FindBest();
  int PointsAt(int block, int bit, NodeIndex node) const;

  NodeColumns& nodes_;
  const PlanBasis* basis_ = nullptr;
  const NodeOrder* order_ = nullptr;
  const BookedRules* rules_ = nullptr;
  const std::vector<NodeMask::Word>* within_ = nullptr;
  // Nodes that are in all sets of in_, in one set of each of any_, and in none
  // of out_.
  Sets in_;
  std::vector<Sets> any_;
  std::size_t used_any_ = 0;  // sets in use; the others keep their memory
  Sets out_;
  bool nowhere_ = false;
  std::vector<Part> preferred_;
  std::vector<Level> levels_;  // empty: each node is looked at
  Words passed_;               // by place; empty: none
  FitLimits::Entry* limit_ = nullptr;
  bool rereads_ = false;  // rules depend on placed tasks

  std::size_t level_ = 0;
  int step_ = -1;  // index of the block in the scan
  int block_ = -1;
  std::uint64_t word_ = 0;
  int place_ = -1;
  std::uint64_t changes_ = 0;
};

}  // namespace fluxnetes::matcher
