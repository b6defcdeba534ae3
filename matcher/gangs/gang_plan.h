// Plans where the tasks of a gang would go, without changing anything. Nodes
// are taken best first, and each is filled before the next. A plan reads the
// free amounts of now, of all time from now on, of empty nodes, or of a later
// time.
//
// A task that has a place counts for the rules of the tasks after it. It is
// counted in the same counts as all other tasks, and taken off again before the
// plan is returned.
//
// Part of a NodeGraph; owned by its thread.
// Tests: tests/matcher/gangs/gang_test.cc, tests/matcher/gangs/levels_test.cc,
// tests/matcher/rules/task_rules_test.cc.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "matcher/gangs/gang.h"
#include "matcher/gangs/node_columns.h"
#include "matcher/gangs/node_scan.h"
#include "matcher/inside/node_interior.h"
#include "matcher/node_devices/aligned_tasks.h"
#include "matcher/node_devices/node_devices.h"
#include "matcher/nodes/node_order.h"
#include "matcher/nodes/scored_nodes.h"

namespace fluxnetes::matcher {

// A run of tasks of one group on one node.
struct Run {
  NodeIndex node = -1;
  std::int32_t group = 0;
  std::int32_t tasks = 0;
  std::int32_t next = -1;  // the run before on the same node
  std::int32_t order = 0;  // in which the runs were placed
  // What each task takes inside of the node, and its devices.
  AlignedTasks::Task takes = {};
};

class GangPlan {
 public:
  GangPlan(NodeColumns& nodes, NodeInterior& interior, NodeDevices& devices)
      : nodes_(nodes),
        interior_(interior),
        devices_(devices),
        aligned_(interior, devices),
        scan_(nodes) {}

  // The gang must outlive the plan. Throws std::invalid_argument. `job` is the
  // holder of its whole nodes if it names none.
  void SetGang(const Gang& gang, JobId job = 0);
  void SetGroup(const TaskGroup& group,
                const Seating& seating = {});  // for Count()

  // True if all tasks find a place; runs() lists the places.
  bool Place(const PlanBasis& basis);
  // Returns how many tasks of the first group find a place, up to `limit`.
  int Count(const PlanBasis& basis, int limit);
  // Returns how many tasks of each group find a place, in the attempt of
  // Place() that places the most.
  std::vector<int> CountMost(const PlanBasis& basis);
  // Then, for each level that the gang requires, how many values have room for
  // its number of tasks.
  const std::vector<int>& found() const { return found_; }

  // The groups of the gang's tasks; behind them, the pools that it needs count
  // as groups of one task that fits on its pool alone.
  int task_groups() const { return task_groups_; }
  int groups() const { return static_cast<int>(groups_.size()); }
  NodeIndex pool(int group) const { return groups_[group].pool; }
  // True if another gang keeps a pool that this one needs.
  bool IsKept() const;
  const TaskGroup& group(int group) const { return *groups_[group].asked; }
  DevicesId devices(int group) const { return groups_[group].asked->devices; }
  AlignedTasks& aligned() { return aligned_; }
  const std::vector<Need>& needs(int group) const {
    return groups_[group].needs;
  }
  // The amounts of a task of the group, with its seats if these are counted.
  std::span<const std::int64_t> amounts(int group) const {
    return groups_[group].amounts;
  }
  const Seating& seating() const { return seating_; }
  // Where tasks of the same holder are: their seats are free for the gang.
  // Null: nowhere.
  const NodeColumns::HeldNodes* own() const { return own_; }
  // True if only the holder's tasks take seats there in [from, end).
  bool IsOwn(NodeIndex node, Time from, Time end) const {
    return own_ != nullptr && own_->contains(node) &&
           nodes_.IsLeftTo(seating_.holder, node, from, end);
  }
  // In order of group, then of placement.
  const std::vector<Run>& runs() const { return runs_; }
  int tasks() const { return tasks_; }

  // Returns how many tasks of the group fit on a node with these columns, up to
  // `limit`, if the plan had nothing there and no other task existed.
  int CountAlone(const Columns& columns, NodeIndex node, int group,
                 int limit) const;

  // True if some group asks for an inside; for devices.
  bool LooksInside() const;
  bool LooksAtDevices() const;
  // How many tasks of the group fit inside of the node, up to `limit`, besides
  // those that the plan has there.
  int FitInside(const PlanBasis& basis, NodeIndex node, int group, int limit);
  // How many tasks of the group get their devices there, up to `limit`, besides
  // those that the plan has.
  int FitDevices(const PlanBasis& basis, NodeIndex node, int group, int limit);
  // Both of a group whose tasks are to have all in one domain; ways_ has what
  // each takes.
  int FitAligned(const PlanBasis& basis, NodeIndex node, int group, int limit);

  // True if the gang has one group, no `together`, and no rules on other tasks.
  bool IsPlain() const;

  // True if the plan also needs the free amounts of nodes without room for a
  // task.
  bool LooksAtAll() const;

  // True if the node suits a task of the group, however full it is.
  bool MayTake(NodeIndex node, int group) const;

  // Counts reserved tasks that keep tasks of the gang away, until TakeBack().
  // Place() and Count() call both themselves.
  void CountAhead(const PlanBasis& basis);
  void TakeBack(std::size_t counted = 0);

  // True if the rules need other tasks (affinity or required spread). Then a
  // task that starts may make room, and not only one that ends.
  bool NeedsOthers() const { return needs_others_; }
  // The counts that the rules of the gang look at.
  const std::vector<TrackerId>& trackers() const { return trackers_; }
  const std::vector<SpreadId>& spreads() const { return spreads_; }
  bool Watches(TrackerId id) const;
  bool WatchesSpread(SpreadId id) const;
  // True if the node is in a domain where the gang, if it must be together, may
  // be.
  bool MayBeTogether(NodeIndex node);

 private:
  struct Group {
    const TaskGroup* asked = nullptr;
    ShapeId inside = kNoShape;  // if it counts now
    bool aligned = false;
    bool counts_tasks = true;  // for levels, and tasks on each node
    NodeIndex pool = -1;
    std::span<const std::int64_t> amounts;
    std::vector<std::int64_t> with_seats;
    std::vector<Need> needs;
    const BookedRules* rules = nullptr;
    bool alone = true;  // its rules do not look at other tasks
    // The counts that the gang looks at and that a task of this group changes.
    std::vector<TrackerId> counts;
    std::vector<SpreadId> counts_spread;
  };
  struct Counted {
    std::int32_t id = -1;  // a tracker or a spread
    bool spread = false;
    Stage stage = Stage::kNow;
    NodeIndex node = -1;
    std::int32_t tasks = 0;
  };
  struct Domain {
    DomainId id = -1;
    double free = 0;
  };
  // The nodes with one value of a level, inside of one value of the next.
  struct Part {
    std::string name;
    std::vector<NodeMask::Word> nodes;
    int held = 0;         // tasks of `beside`
    bool pinned = false;  // other tasks are there
    int room = 0;         // tasks that it could take
    int take = 0;         // tasks that it is to take
    std::vector<Part> inside;
  };

  void Compile();
  void SetPools(const Gang& gang);
  bool PoolsFit(const PlanBasis& basis);
  void TakePools();
  void SetSeating(const Seating& seating);
  void CompileNeeds(Group& group);
  void CompileSeats(Group& group);
  void CompileRules();
  void Watch(const BookedRules& rules);
  template <typename Free>
  int Divide(int group, int limit, std::int32_t last_run,
             const Free& free) const;
  int Fit(const PlanBasis& basis, NodeIndex node, int group, int limit);
  int FitAmounts(const PlanBasis& basis, NodeIndex node, int group, int limit);
  AlignedTasks::Task TaskOf(int group) const {
    return {groups_[group].inside, devices(group)};
  }
  void GatherInside(NodeIndex node);
  void GatherDevices(NodeIndex node, int group);

  int PlaceGroup(const PlanBasis& basis, int group, int count);
  int Fill(const PlanBasis& basis, int group, int count);
  int FillInOrder(const PlanBasis& basis, int group, int count);
  int FillByScore(const PlanBasis& basis, int group, int count);
  void Score(const PlanBasis& basis, int group, int most);
  double ScoreOf(const PlanBasis& basis, NodeIndex node, int group);
  double StepOf(int group) const;
  void AddRun(const PlanBasis& basis, NodeIndex node, int group, int tasks);
  void AddRun(NodeIndex node, int group, int tasks,
              const AlignedTasks::Task& takes);
  void CountRun(const PlanBasis& basis, NodeIndex node, int group, int tasks);
  void UndoRuns(std::size_t runs, std::size_t counted);

  // False if the limits show that some group alone finds no room.
  bool MayFit(const PlanBasis& basis) const;
  bool PlaceInOrder(const PlanBasis& basis, std::span<const int> order);
  bool PlaceInOrders(const PlanBasis& basis);
  bool PlaceSomewhere(const PlanBasis& basis);
  void SetLevels(const Gang& gang);
  int TasksOn(NodeIndex node) const;
  bool IsWithin(const PlanBasis& basis, NodeIndex node) const;
  bool FillsNodes() const;
  bool NodesAreFull() const;
  int PutOn(const PlanBasis& basis, std::span<const int> order, NodeIndex node,
            int tasks);
  int FillNodes(const PlanBasis& basis, std::span<const int> order, int tasks);
  int Take(const PlanBasis& basis, std::span<const int> order, int tasks);
  void LeaveAll();
  // Without the groups whose tasks do not count.
  std::vector<int> Counting(std::span<const int> order) const;
  // Places those.
  bool PlaceUncounted(const PlanBasis& basis);
  bool PlaceFull(const PlanBasis& basis, std::span<const int> order);
  void NoteMost(int placed);
  std::vector<Part> Divided(const PlanBasis& basis, KeyId key,
                            const std::vector<NodeMask::Word>* among);
  int Usable(const Part& part, int tasks) const;
  void FindRoom(const PlanBasis& basis, std::span<const TopologyLevel> levels,
                std::span<const int> order, std::size_t level, Part& part);
  bool Share(std::vector<Part>& parts, int level, int tasks) const;
  bool PlaceInPart(const PlanBasis& basis,
                   std::span<const TopologyLevel> levels,
                   std::span<const int> order, std::size_t level, Part& part,
                   int tasks);
  int CountFound(std::span<const TopologyLevel> levels, std::size_t level,
                 std::size_t wanted, const Part& part) const;
  bool PlaceByLevels(const PlanBasis& basis,
                     std::span<const TopologyLevel> levels,
                     std::span<const int> all_groups);
  bool PlaceByLevels(const PlanBasis& basis);

  bool PlaceTogether(const PlanBasis& basis, KeyId key, KeyId outer);
  bool PlaceInParts(const PlanBasis& basis, NodeMask& domain, KeyId outer);
  std::vector<Domain> Tightest(const PlanBasis& basis, KeyId key);
  std::vector<DomainSums::Sum> FreeIn(const PlanBasis& basis, KeyId key,
                                      std::span<const Need> needs);
  std::vector<Need> NeededOfAll(std::vector<DomainSums::Sum>& sums) const;
  KeyId FindKey(const std::string& key);
  bool Counts(KeyId key, DomainId domain) const;
  std::vector<int> HardestFirst() const;
  void FollowersLast(std::vector<int>& order) const;
  void Clear();
  void SortRuns();

  NodeColumns& nodes_;
  NodeInterior& interior_;
  NodeDevices& devices_;
  AlignedTasks aligned_;
  NodeScan scan_;
  const Gang* gang_ = nullptr;  // null: planning for one group
  Seating seating_;
  const NodeColumns::HeldNodes* own_ = nullptr;
  std::vector<Group> groups_;
  int task_groups_ = 0;
  std::vector<TaskGroup> pools_;  // the last groups
  std::vector<int> given_;  // groups in the given order, but followers last
  std::vector<Run> runs_;
  std::vector<std::int32_t> last_run_;  // [node], -1: none
  std::vector<std::int64_t> least_;
  AlignedTasks::Beside beside_;
  std::vector<AlignedTasks::Task> ways_;  // of FitAligned()
  std::vector<NodeIndex> gathered_;
  ScoredNodes scored_;
  int tasks_ = 0;
  int counting_ = 0;  // tasks that count for levels and tasks per node
  bool needs_others_ = false;

  std::vector<TrackerId> trackers_;
  std::vector<SpreadId> spreads_;
  std::vector<char> watches_;         // [tracker]
  std::vector<char> watches_spread_;  // [spread]
  std::vector<Counted> counted_;

  TasksPerNode per_node_;
  std::map<NodeIndex, int> held_;  // tasks of `beside`, if they count
  std::set<NodeIndex> pinned_;     // nodes of others that do not
  std::vector<int> left_;          // [group]: tasks without a place
  std::vector<int> found_;

  const std::vector<NodeMask::Word>* within_ = nullptr;
  std::vector<NodeMask::Word> part_;   // nodes of a part of a domain
  std::map<std::string, KeyId> keys_;  // keys named in `together`
  std::vector<int> most_;              // [group]
  int most_sum_ = -1;
  bool keep_most_ = false;
};

}  // namespace fluxnetes::matcher
