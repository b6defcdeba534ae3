// Gangs on nodes with divisible amounts: what the scheduler of pods asks of the
// resource graph. A node has amounts (cpu in millicores, memory in bytes, ...),
// a gang is a number of tasks that each need some of them on one node; several
// tasks may share a node. All are placed or none is.
//
//   matcher::NodeGraph graph({"cpu", "memory", "pods"});
//   const auto node = graph.AddNode("node0", /*id=*/0, {64'000, 256 * kGiB,
//   110}); const Gang gang{{{{2'000, kGiB, 1}, nullptr, 16}}, 3600}; auto match
//   = graph.Allocate(/*job=*/17, gang, Policy::kLonode, now);
//
// Spans of jobs over time follow Fluxion's planner: a job uses its amounts in
// [start, end); a reservation lies in the future. Time is in seconds and is
// always a parameter. Nothing ends by itself: a job that outlives its end keeps
// what it holds until Cancel(): it counts as held at `now`, and plans take it
// to end at now + 1. A reservation whose start has come is held like the rest.
// Time may be given out of order, but going back costs a pass over all spans.
//
// Nodes are filled one after the other with as many tasks as they take:
//
//   lonode, low   lowest id first     hinode, high   highest id first
//   first         the node that was added last first (highest index), as
//                 Fluxion's `first` does on an untouched graph
//
// Tasks may have rules (task_rules.h): which nodes they go to, by labels and
// taints, and what other tasks they want near or not. A task goes to the node
// with the most points of those that its rules allow, of equal ones to the
// first in the order above; what other tasks of the gang were given before
// counts too. Points are the weights of the node preferences that hold and of
// the preferred terms of whose tasks the domain has any, less kPreferencePoints
// for each taint PreferNoSchedule that is not tolerated and each spread
// constraint ScheduleAnyway that the node would break.
//
// Over time: affinity and spread go by the tasks that are there at the start;
// anti-affinity, in both directions, and host ports by all that would be there
// with it at some time. On empty nodes (kNever, Satisfiable) other tasks may
// come, so spread is not asked for, nor affinity to tasks of other rules.
//
// Groups are placed in the order given, but those that must be near tasks of
// other rules after the others; if that fails, once more with the group that
// has least room first (a launcher must not take the only place that a worker
// can use). Tasks with affinity to their own kind, of which there is none yet,
// try one domain after the other until one has room for all of the group. What
// this misses does not fit: it is a heuristic for gangs of several shapes, and
// exact for gangs of one without rules on other tasks.
//
// A task that needs nothing of a resource does not mind that it is
// overcommitted. Amounts are 0 to kMaxAmount. Misuse (negative amounts, an
// unknown node) throws std::invalid_argument.
//
// Owned by one thread, const members too. No lock, no clock, no log.
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

struct Explanation;  // explanation.h
class RoomLog;       // room_log.h
class Shortfall;     // shortfall.h

class NodeGraph {
 public:
  explicit NodeGraph(std::vector<std::string> resources);
  ~NodeGraph();
  NodeGraph(NodeGraph&&) noexcept;
  NodeGraph& operator=(NodeGraph&&) noexcept;

  const std::vector<std::string>& resources() const;
  // Adds a resource that no node has yet (an extended one that appeared).
  void AddResource(std::string name);

  // `id` is the logical id by which the policies order nodes; ties by index.
  // The name must not be in use. A removed node that comes back while jobs
  // still hold some of it gets its former index, with what they hold.
  NodeIndex AddNode(std::string name, std::int64_t id,
                    std::span<const std::int64_t> totals);
  // What jobs hold on it stays booked until they are cancelled; nothing new is
  // placed. The index is reused only after the last job has left it.
  void RemoveNode(NodeIndex node);
  // May fall below what is used.
  void SetTotals(NodeIndex node, std::span<const std::int64_t> totals);
  // A closed node (down, cordoned) takes nothing new, and does not count for
  // Satisfiable().
  void SetOpen(NodeIndex node, bool open);
  // What is used by others, without end, and the tasks of others that rules
  // look at, one entry each; replaces the former value.
  void SetForeign(NodeIndex node, std::span<const std::int64_t> amounts,
                  std::span<const RulesId> tasks = {});
  // A node has none at first, and loses them when it is removed.
  void SetLabels(NodeIndex node, const Labels& labels,
                 const std::vector<Taint>& taints = {});

  // The number of rules, the same for equal ones. What depends on nodes alone
  // is evaluated now, and again for nodes that change. They are kept until they
  // were given back as often as they were taken, and no task has them. Throws
  // std::invalid_argument for a topology key that is empty, or a skew or number
  // of domains below 1.
  RulesId TakeRules(const TaskRules& rules);
  void GiveRules(RulesId rules);
  // Whether the node by itself suits the rules; other tasks are not looked at.
  bool Allows(RulesId rules, NodeIndex node) const;
  // Whether they look at other tasks, so that it matters where these are.
  bool LooksAtTasks(RulesId rules) const;
  // Differs from what it was if other tasks have come or gone, or domains have
  // changed, so that a task of these rules may now go where it could not. (Or
  // so that it may not, or for no reason at all: a plan that was not carried
  // out changes it too.) 0 for rules that
  // do not look at other tasks.
  std::uint64_t Surroundings(RulesId rules) const;
  // Grows when a task comes that those of these rules need, or are spread
  // among: what cannot be there at any time may be able to as long as it stays.
  std::uint64_t Arrivals(RulesId rules) const;

  std::optional<NodeIndex> Find(std::string_view name) const;
  const std::string& Name(NodeIndex node) const;

  // Places the gang at `now`, or says kNow or kNever. A job that holds
  // something already gets the new tasks behind its others: their positions
  // continue.
  MatchResult Allocate(JobId job, const Gang& gang, Policy policy, Time now);

  // The same, but does not say why it does not fit, which may cost more.
  std::optional<Placement> TryAllocate(JobId job, const Gang& gang,
                                       Policy policy, Time now);

  // Like Allocate(), else at the earliest end of a span at which it fits beside
  // all spans that are known, if that is before `before`; Placement::start says
  // which. `shortfall`, if any, becomes that of the times before, as far as it
  // is known.
  MatchResult AllocateOrReserve(JobId job, const Gang& gang, Policy policy,
                                Time now, Time before = kForever,
                                Shortfall* shortfall = nullptr);

  // Whether open nodes have so much free, for each task, at any time in
  // [start, end). Rules are not looked at.
  bool HasRoom(Time start, Time end, std::span<const NodeIndex> nodes,
               std::span<const std::vector<std::int64_t>> amounts,
               Time now) const;

  // For a job without rules on other tasks that is booked for the gang, in
  // these places: books it at the earliest start before theirs, if there is
  // one. If that is `now` it stays as it was. The shortfall is that of the
  // times before.
  std::optional<Placement> MoveEarlier(JobId job, const Gang& gang,
                                       const Placement& own, Policy policy,
                                       Time now, Shortfall& shortfall);

  // For a gang that has these places and had this shortfall: whether it may be
  // able to start earlier by the room that was made since, from that number of
  // the log on; room that was taken may be missing there. Where other tasks are
  // is not looked at. If not, the shortfall is less by that room.
  bool MayStartEarlier(const Gang& gang, const Placement& own,
                       const RoomLog& log, std::uint64_t since, Time now,
                       Shortfall& shortfall) const;

  // Whether it would fit if all open nodes were empty but for foreign use.
  bool Satisfiable(const Gang& gang, Policy policy = Policy::kLonode) const;

  // Why it does not fit, or that it does: what excludes how many nodes, how
  // much of it fits now, and when all of it will. Looks at every node.
  Explanation Explain(const Gang& gang, Policy policy, Time now) const;

  // How many tasks of the group could be placed now, up to `limit`.
  int CountFits(const TaskGroup& group, Time duration, Time now,
                int limit) const;

  // Books what is known to run, even beyond what the node has: the truth of
  // the cluster cannot be refused. `end` may be kForever or in the past, but
  // is taken to be after `start`. Amounts and rules are those of each task; no
  // rules at all: none has any.
  void Restore(JobId job, Time start, Time end,
               std::span<const NodeIndex> nodes,
               std::span<const std::vector<std::int64_t>> amounts,
               std::span<const RulesId> rules = {});

  // Gives back one task (by its position in the placement) or everything.
  // False if the job or task is unknown: it was given back already. With its
  // last task a job is forgotten, and its positions start anew.
  bool Release(JobId job, int task);
  bool Cancel(JobId job);
  // Grows whenever something is given back. As long as it is the same, and the
  // time and the nodes are, what did not fit does not.
  std::uint64_t Releases() const;

  // Free now on a node, per resource; negative where others overcommit it.
  std::vector<std::int64_t> Free(NodeIndex node, Time now) const;

  // A picture of everything, equal for graphs in which the same jobs hold the
  // same: for the invariant that memory equals what is rebuilt. One line per
  // node in order of name, spans in order of job. Without rules, tasks of
  // others are left out too.
  std::string Describe(bool with_rules = true) const;
  // The same for what is counted of tasks, equal where the same rules are
  // taken.
  std::string DescribeCounts() const;

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::matcher
