// The nodes of a cluster, and the gangs that the scheduler of pods places on
// them. A node has divisible amounts (cpu in millicores, memory in bytes, ...).
// A gang is a number of tasks that each need some of them on one node; several
// tasks may share a node. All tasks of a gang are placed, or none.
//
//   matcher::NodeGraph graph({"cpu", "memory", "pods"});
//   const auto node =
//       graph.AddNode("node0", /*id=*/0, {64'000, 256 * kGiB, 110});
//   const Gang gang{{{{2'000, kGiB, 1}, nullptr, 16}}, 3600};
//   auto match = graph.Allocate(/*job=*/17, gang, Policy::kLonode, now);
//
// Spans of jobs over time follow Fluxion's planner: a job uses its amounts in
// [start, end); a reservation lies in the future. Times are in seconds and are
// always parameters. Nothing ends by itself: a job past its end keeps its
// amounts until Cancel(). They count as held at `now`, and plans take them to
// end at now + 1. A reservation whose start has come is held like any other
// span. Times may be given out of order, but going back costs a pass over all
// spans.
//
// Nodes are taken in the order of the policy:
//
//   lonode, hinode   lowest or highest id first; each is filled with as many
//                    tasks as it takes before the next is used
//   first            the same, from the node that was added last (highest
//                    index), as Fluxion's `first` on an untouched graph
//   variation        the same, from the lowest performance class
//   low, high        task by task, the node whose next units have the lowest or
//                    highest ids: that is, the least held or the most free
//   locality         the tasks whose units have consecutive ids first
//
// policy_order.h has the exact rules. Units are those of SetUnit(). Under a
// policy with exclusive nodes, such as lonodex, a gang has whole nodes.
//
// A gang may ask for whole nodes (Gang::whole_nodes). While it holds or has
// reserved them nothing else is placed there, and it goes to no node where
// something else is, or is to be within its span. A job of number 0 cannot hold
// whole nodes.
//
// Tasks may have rules (task_rules.h): on the labels and taints of their nodes,
// and on the other tasks that must, should or must not be near. A task goes to
// the node with the most points among those that its rules allow; of equal
// nodes, to the first in the order above. Tasks of the gang that are placed
// already count for the rules, too. Points are the weights of the node
// preferences that match, and of the preferred terms that match a task in the
// domain. kPreferencePoints are subtracted for each PreferNoSchedule taint that
// is not tolerated, and for each ScheduleAnyway spread constraint that the node
// would break.
//
// Rules hold over time as follows. Affinity and spread look at the tasks that
// are there at the start. Anti-affinity, in both directions, and host ports
// look at all tasks that would be there together with the new one at some time.
// On empty nodes (kNever, Satisfiable()) other tasks may come later, so spread
// is not checked, nor is affinity to tasks of other rules.
//
// Groups are placed in the given order, except that groups that must be near
// tasks of other rules come last. If that fails, they are tried once more in
// order of room, least first (a launcher must not take the only place that a
// worker can use). Tasks with affinity to their own kind, of which there is
// none yet, try one domain after the other until one has room for the whole
// group. This is a heuristic for gangs of several shapes: a placement that it
// misses counts as none. It is exact for gangs of one shape without rules on
// other tasks.
//
// A pool is an amount of the whole cluster, such as licences, that belongs to
// no node. A gang takes of it once (Gang::pools), and holds it as long as it
// holds anything. In here a pool is a node on which no task goes, with a
// resource of its own that no node has: so spans, reservations, earliest starts
// and overcommit are those of nodes. What decides where tasks go (topology,
// whole nodes, policies, rules, explanations) does not look at it.
//
// A task that needs none of a resource may go to a node that overcommits it.
// Amounts are 0 to kMaxAmount. Misuse (negative amounts, an unknown node)
// throws std::invalid_argument.
//
// Owned by one thread, const members too. Uses no lock, no clock and no log.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "matcher/gangs/gang.h"
#include "matcher/policy.h"
#include "matcher/rules/task_rules.h"

namespace fluxnetes::matcher {

struct Explanation;     // explanation.h
struct InsideRequest;   // inside/inside_request.h
class NodeInterior;     // inside/node_interior.h
class NodeDevices;      // node_devices/node_devices.h
struct DeviceObstacle;  // node_devices/node_devices.h
struct GivenInside;     // inside/node_interior.h
struct InsideTask;      // inside/node_interior.h
struct InsideWindow;    // inside/node_interior.h
enum class TasksOfKubelet;
class ResourceGraph;
class RoomLog;    // room_log.h
class Shortfall;  // shortfall.h

class NodeGraph {
 public:
  explicit NodeGraph(std::vector<std::string> resources);
  ~NodeGraph();
  NodeGraph(NodeGraph&&) noexcept;
  NodeGraph& operator=(NodeGraph&&) noexcept;

  const std::vector<std::string>& resources() const;
  // Adds a resource of which no node has any yet, such as a new extended
  // resource.
  void AddResource(std::string name);

  // Adds a pool, and its resource, which is the last one then. Neither name may
  // be in use.
  NodeIndex AddPool(const std::string& name, std::int64_t total);
  // The total may be below what is held.
  void SetPool(NodeIndex pool, std::int64_t total);
  // The resource of a pool; -1: it is a node.
  int ResourceOfPool(NodeIndex pool) const;

  // `id` is the logical id by which the policies order nodes; ties go by index.
  // The name must not be in use. A removed node that comes back while jobs
  // still hold some of it gets its former index, with what they hold.
  NodeIndex AddNode(std::string name, std::int64_t id,
                    std::span<const std::int64_t> totals);
  // Removes a node. What jobs hold on it stays booked until they are cancelled;
  // nothing new is placed there. The index is reused only after the last job
  // has left the node.
  void RemoveNode(NodeIndex node);
  // The totals may be below what is used.
  void SetTotals(NodeIndex node, std::span<const std::int64_t> totals);
  // The class of a node that `variation` reads, 0 to kWorstClass. A node has
  // the worst until it is set.
  void SetClass(NodeIndex node, std::int64_t performance_class);
  // What counts as one unit for `low`, `high` and `locality`; 1 until it is
  // set. 0: the resource has no units, and these policies do not look at it.
  void SetUnit(int resource, std::int64_t unit);
  // A closed node (down, cordoned) takes nothing new, and does not count for
  // Satisfiable().
  void SetOpen(NodeIndex node, bool open);
  // Replaces what other schedulers use on the node, without end: the amounts,
  // one entry for each of their tasks that rules look at, and the number of
  // those that keep gangs with whole nodes away.
  void SetUnmanaged(NodeIndex node, std::span<const std::int64_t> amounts,
                    std::span<const RulesId> tasks = {}, int occupants = 0);
  // A node has no labels and taints at first, and loses them when it is
  // removed.
  void SetLabels(NodeIndex node, const Labels& labels,
                 const std::vector<Taint>& taints = {});

  // Returns the number of the rules, the same for equal rules. What depends on
  // nodes alone is evaluated now, and again for nodes that change. Rules are
  // kept until they were given back as often as they were taken, and no task
  // has them. Throws std::invalid_argument for an empty topology key, or a skew
  // or number of domains below 1.
  RulesId TakeRules(const TaskRules& rules);
  void GiveRules(RulesId rules);
  // True if the rules allow the node by itself; other tasks are not looked at.
  bool Allows(RulesId rules, NodeIndex node) const;
  // True if the rules look at other tasks, so that it matters where these are.
  bool LooksAtTasks(RulesId rules) const;
  // Returns a number that differs after other tasks or domains have changed so
  // that a task of these rules may now go where it could not. It may also
  // differ for no such reason, as after a plan that was not carried out. 0 for
  // rules that do not look at other tasks.
  std::uint64_t AffinityVersion(RulesId rules) const;
  // Grows when a task is added that tasks of these rules need, or are spread
  // among: while it stays, a gang that had no possible start may have one.
  std::uint64_t AffinityArrivals(RulesId rules) const;

  // What a node has inside; nothing is known of it at first, and when it was
  // removed. What tasks hold there survives a change. Throws
  // std::invalid_argument for a graph that is no inside of a node.
  void SetInside(NodeIndex node, const ResourceGraph& inside);
  void UnsetInside(NodeIndex node);
  // What the kubelet of the node has given away, and to which tasks
  // (NodeInterior::SetGiven). ForgetGivenInside(): it says nothing of it.
  void SetGivenInside(NodeIndex node, std::vector<GivenInside> given);
  void SetAdmitted(NodeIndex node, std::span<const InsideTask> tasks);
  void ForgetGivenInside(NodeIndex node);
  // How the kubelet of the node places tasks (NodeInterior::SetKubelet).
  void SetKubelet(NodeIndex node, TasksOfKubelet places);
  // For a run ahead of time (NodeInterior::TrustPlans).
  void TrustPlansInside();
  // How many tasks of the shape have a place inside of the node now, up to
  // `limit`, if these jobs held nothing.
  int FitInside(NodeIndex node, ShapeId shape, int limit, Time now,
                std::span<const JobId> without = {});
  // As TakeRules(), for what tasks take inside of their nodes.
  ShapeId TakeInside(const InsideRequest& request);
  void GiveInside(ShapeId shape);
  const NodeInterior& interior() const;
  // The devices of the cluster. The graph itself tells it of nodes and labels,
  // and books what tasks take; all else is the caller's.
  NodeDevices& devices() const;
  // Why a task of the group does not get its devices on the node in the window,
  // or not in one domain with what it takes inside of the node. Nothing: it
  // does, or has no place inside anyway.
  std::optional<DeviceObstacle> ExplainDevices(
      NodeIndex node, const TaskGroup& group, const InsideWindow& window) const;
  // The same for every node, however empty, as far as the devices show it.
  std::optional<DeviceObstacle> ExplainNoDevices(const TaskGroup& group) const;

  std::optional<NodeIndex> Find(std::string_view name) const;
  const std::string& Name(NodeIndex node) const;

  // Places the gang at `now`, or returns kNow or kNever. If the job holds
  // something already, its new tasks are added behind the others: their
  // positions continue.
  MatchResult Allocate(JobId job, const Gang& gang, Policy policy, Time now);

  // Like Allocate(), but does not find out why the gang does not fit, which may
  // cost more than the attempt itself.
  std::optional<Placement> TryAllocate(JobId job, const Gang& gang,
                                       Policy policy, Time now);

  // Like Allocate(). If the gang does not fit now, reserves the earliest time
  // at which it fits beside all known spans, if that is before `before`;
  // Placement::start is that time. `shortfall`, if not null, is set to that of
  // the times before, as far as it is known.
  MatchResult AllocateOrReserve(JobId job, const Gang& gang, Policy policy,
                                Time now, Time before = kForever,
                                Shortfall* shortfall = nullptr);

  // True if open nodes have the amounts of all these tasks free at every time
  // in [start, end), and no other job keeps tasks with this seating away.
  // `nodes` are the nodes of the tasks, `parts` what each takes inside of its
  // node, and `devices` its devices, as in Placement. Rules are not looked at.
  // The same of pools.
  bool HasRoom(Time start, Time end, std::span<const NodeIndex> nodes,
               std::span<const std::vector<std::int64_t>> amounts, Time now,
               const Seating& seating = {},
               std::span<const std::string> parts = {},
               std::span<const PoolNeed> pools = {},
               std::span<const std::string> devices = {}) const;

  // For a job that is booked for `gang` at `own`, without rules on other tasks:
  // books it at the earliest start before its present one. Returns nothing if
  // there is none. If that start is `now`, returns it without nodes and leaves
  // the booking as it was. `shortfall` is set to that of the times before.
  std::optional<Placement> MoveEarlier(JobId job, const Gang& gang,
                                       const Placement& own, Policy policy,
                                       Time now, Shortfall& shortfall);

  // For a gang that is booked at `own` and had this shortfall: true if the room
  // that was made since then may let it start earlier. `since` is the first
  // change of the log to look at; changes that took room may be missing there.
  // Where other tasks are is not looked at. If false, the shortfall is reduced
  // by that room.
  bool MayStartEarlier(const Gang& gang, const Placement& own,
                       const RoomLog& log, std::uint64_t since, Time now,
                       Shortfall& shortfall) const;

  // True if the gang would fit if all open nodes were empty but for what other
  // schedulers use.
  bool Satisfiable(const Gang& gang, Policy policy = Policy::kLonode) const;

  // Returns what excludes how many nodes for each group, and how much of the
  // gang fits now. Looks at every node.
  Explanation Explain(const Gang& gang, Policy policy, Time now) const;

  // Returns how many tasks of the group could be placed now, up to `limit`.
  int CountFits(const TaskGroup& group, Time duration, Time now, int limit,
                const Seating& seating = {}) const;

  // Books what is known to run, even beyond what a node has: what runs in the
  // cluster cannot be refused. `end` may be kForever or in the past, but counts
  // as after `start`. `amounts` and `rules` have an entry per task; if `rules`
  // is empty, no task has any. `parts` are as in Placement, and `insides` the
  // shapes that they were booked for, if that is known. `pools`: what the
  // job takes of these, too, and holds until its last task is released; without
  // tasks until Cancel(). `devices` as in Placement. Throws PartsError or
  // DevicesError if a text is malformed.
  void Restore(JobId job, Time start, Time end,
               std::span<const NodeIndex> nodes,
               std::span<const std::vector<std::int64_t>> amounts,
               std::span<const RulesId> rules = {}, const Seating& seating = {},
               std::span<const std::string> parts = {},
               std::span<const PoolNeed> pools = {},
               std::span<const ShapeId> insides = {},
               std::span<const std::string> devices = {});

  // Releases one task (by its position in the placement), or the whole job.
  // False if the job or task is unknown: it was released already. With its last
  // task a job is forgotten, and its positions start anew.
  bool Release(JobId job, int task);
  bool Cancel(JobId job);
  // Grows with every release. While it, the time and the nodes stay the same, a
  // gang that did not fit still does not.
  std::uint64_t Releases() const;

  // Returns what is free now on a node, per resource; negative if it is
  // overcommitted.
  std::vector<std::int64_t> Free(NodeIndex node, Time now) const;

  // Describes the whole graph as text, equal for graphs in which the same jobs
  // hold the same: for the invariant that the graph in memory equals the
  // rebuilt one. One line per node in order of name, spans in order of job.
  // Without rules, the tasks of other schedulers are left out too.
  std::string Describe(bool with_rules = true) const;
  // Describes the counts of tasks, equal if the same rules are taken.
  std::string DescribeCounts() const;

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::matcher
