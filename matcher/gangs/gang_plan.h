// Plans where the tasks of a gang would go, without changing anything: nodes
// best first, each filled before the next. A plan looks at free amounts as they
// are now, forever, on empty nodes, or at a later time.
//
// Tasks that were given a place count for the rules of those after them. They
// are counted where all others are, and taken off again before the plan is
// handed out.
//
// Part of a NodeGraph; owned by its thread.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "matcher/gangs/gang.h"
#include "matcher/gangs/node_scan.h"
#include "matcher/gangs/node_table.h"
#include "matcher/nodes/node_order.h"

namespace fluxnetes::matcher {

// A run of tasks of a group on one node.
struct Run {
  NodeIndex node = -1;
  std::int32_t group = 0;
  std::int32_t tasks = 0;
  std::int32_t next = -1;  // on the same node
};

class GangPlan {
 public:
  explicit GangPlan(NodeTable& nodes) : nodes_(nodes), scan_(nodes) {}

  // The gang must outlive the plan. Throws std::invalid_argument.
  void SetGang(const Gang& gang);
  void SetGroup(const TaskGroup& group);  // for Count()

  // Whether all tasks find a place; runs() says where.
  bool Place(const Ground& ground);
  // How many tasks of the first group do, up to `limit`.
  int Count(const Ground& ground, int limit);
  // How many tasks of all groups do, by group: the most of the ways that
  // Place() tries.
  std::vector<int> CountMost(const Ground& ground);

  int groups() const { return static_cast<int>(groups_.size()); }
  const TaskGroup& group(int group) const { return *groups_[group].asked; }
  const std::vector<Need>& needs(int group) const {
    return groups_[group].needs;
  }
  // In order of group, then as they were placed.
  const std::vector<Run>& runs() const { return runs_; }
  int tasks() const { return tasks_; }

  // How many tasks of the group go on a node with these columns, up to `limit`,
  // if the plan had nothing there and there were no other tasks.
  int CountAlone(const Columns& columns, NodeIndex node, int group,
                 int limit) const;

  // Whether it is of one shape, and does not look at other tasks.
  bool IsPlain() const;

  // Whether it matters too what is free on nodes that have no room for a task.
  bool LooksAtAll() const;

  // Whether the node suits a task of the group, however full it is.
  bool MayTake(NodeIndex node, int group) const;

  // Counts what is reserved and keeps tasks of the gang away, until TakeBack();
  // Place() and Count() do so by themselves.
  void CountAhead(const Ground& ground);
  void TakeBack(std::size_t counted = 0);

  // Whether it matters where other tasks are, and not only that some are gone.
  bool NeedsOthers() const { return needs_others_; }
  // What the rules of the gang look at.
  const std::vector<TrackerId>& trackers() const { return trackers_; }
  const std::vector<SpreadId>& spreads() const { return spreads_; }
  bool Watches(TrackerId id) const;
  bool WatchesSpread(SpreadId id) const;
  // Whether the gang may be on the node if it must be together.
  bool MayBeTogether(NodeIndex node);

 private:
  struct Group {
    const TaskGroup* asked = nullptr;
    std::vector<Need> needs;
    const BookedRules* rules = nullptr;
    bool alone = true;  // does not look at other tasks
    // What a task of it changes that the gang looks at.
    std::vector<TrackerId> counts;
    std::vector<SpreadId> counts_spread;
  };
  struct Counted {
    std::int32_t id = -1;  // of a tracker or a spread
    bool spread = false;
    Stage stage = Stage::kNow;
    NodeIndex node = -1;
    std::int32_t tasks = 0;
  };
  struct Domain {
    DomainId id = -1;
    double free = 0;
  };

  void Compile();
  void CompileNeeds(Group& group);
  void CompileRules();
  void Watch(const BookedRules& rules);
  template <typename Free>
  int Divide(int group, int limit, std::int32_t last_run,
             const Free& free) const;
  int Fit(const Ground& ground, NodeIndex node, int group, int limit);

  int PlaceGroup(const Ground& ground, int group, int count);
  int Fill(const Ground& ground, int group, int count);
  void AddRun(NodeIndex node, int group, int tasks);
  void CountRun(const Ground& ground, NodeIndex node, int group, int tasks);
  void UndoRuns(std::size_t runs, std::size_t counted);

  // Whether each group alone may find room, as far as limits tell.
  bool MayFit(const Ground& ground) const;
  bool PlaceInOrder(const Ground& ground, std::span<const int> order);
  bool PlaceInOrders(const Ground& ground);
  bool PlaceSomewhere(const Ground& ground);
  bool PlaceTogether(const Ground& ground, KeyId key, KeyId outer);
  bool PlaceInParts(const Ground& ground, NodeMask& domain, KeyId outer);
  std::vector<Domain> Tightest(const Ground& ground, KeyId key);
  std::vector<DomainSums::Sum> FreeIn(const Ground& ground, KeyId key,
                                      std::span<const Need> needs);
  std::vector<Need> NeededOfAll(std::vector<DomainSums::Sum>& sums) const;
  KeyId FindKey(const std::string& key);
  bool Counts(KeyId key, DomainId domain) const;
  std::vector<int> HardestFirst() const;
  void FollowersLast(std::vector<int>& order) const;
  void Clear();
  void SortRuns();

  NodeTable& nodes_;
  NodeScan scan_;
  const Gang* gang_ = nullptr;  // null: a group
  std::vector<Group> groups_;
  std::vector<int> given_;  // the order as given, but followers last
  std::vector<Run> runs_;
  std::vector<std::int32_t> last_run_;  // [node], -1: none
  std::vector<std::int64_t> least_;
  int tasks_ = 0;
  bool needs_others_ = false;

  std::vector<TrackerId> trackers_;
  std::vector<SpreadId> spreads_;
  std::vector<char> watches_;         // [tracker]
  std::vector<char> watches_spread_;  // [spread]
  std::vector<Counted> counted_;

  const std::vector<NodeMask::Word>* within_ = nullptr;
  std::vector<NodeMask::Word> part_;   // of a domain
  std::map<std::string, KeyId> keys_;  // of `together`
  std::vector<int> most_;              // [group]
  int most_sum_ = -1;
  bool keep_most_ = false;
};

}  // namespace fluxnetes::matcher
