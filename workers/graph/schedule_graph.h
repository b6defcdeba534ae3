// The resource graph of a schedule in the words of the cluster: nodes by name,
// requests as objects. A node that is gone or not known yet stays in the graph,
// closed and with no amounts, as long as a group holds something on it.
//
// A node may be closed for maintenance. A gang that would still run then does
// not fit, whatever runs there already. The maintenance is booked as a job that
// takes all pod places of the node. Maintenance without an end closes the node
// from its start, like a cordon.
//
// Pools of the whole cluster are pools of the graph; what groups of other
// components hold of them is booked as jobs of its own.
//
// It remembers what changed since it was last asked, so that only those groups
// are tried again for which it matters.
//
// Owned by one thread.
// Tests: tests/workers/graph/schedule_closures_test.cc,
// tests/workers/schedule/schedule_test.cc.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cluster/cluster_cache.h"
#include "cluster/objects/node.h"
#include "matcher/gangs/node_graph.h"
#include "matcher/graph/resource_graph.h"
#include "workers/decision/decision.h"
#include "workers/decision/held.h"
#include "workers/decision/maintenance_windows.h"
#include "workers/decision/pool.h"
#include "workers/graph/eviction_ranks.h"
#include "workers/graph/holdings.h"
#include "workers/graph/interned_requests.h"
#include "workers/graph/node_predicates.h"

namespace fluxnetes::workers {

// A node's performance class, 0 to 9999, for the policy `variation`. A node
// without the label, or with another value, has the worst.
inline constexpr const char* kPerformanceLabel = "fluxnetes.perf-class";

struct AllocatedClaim;  // decision/device_news.h
struct DeviceNews;      // decision/device_news.h

struct GraphChanges {
  std::vector<matcher::NodeIndex> grown;  // more may be free there
  // So much more, by these and resource; shorter if it is not known of all.
  std::vector<std::int64_t> more;
  // From when on that was to be free anyway: the first of it, and all.
  matcher::Time since = matcher::kForever;
  matcher::Time until = 0;
  std::vector<matcher::NodeIndex> changed;  // less may fit there
  bool capacity = false;  // what could ever fit may have changed
  bool Empty() const { return grown.empty() && changed.empty() && !capacity; }
};

class ScheduleGraph {
 public:
  ScheduleGraph();

  InternedRequests& requests() { return requests_; }
  const InternedRequests& requests() const { return requests_; }
  // Whether somebody reads why groups wait.
  bool wants_reasons() const { return wants_reasons_; }
  void LeaveReasonsOut() { wants_reasons_ = false; }
  // Pods are not found by their UIDs: call it before anything is held.
  void LeavePodsOut() { holdings_.LeavePodsOut(); }
  // Forgets requests that neither nodes and groups here use nor `others`.
  void Sweep(std::vector<const cluster::PodRequest*> others);

  // The members' requests, each once with its number, in an order that is the
  // same for groups that ask for the same: what is hard to place first.
  RequestCounts Count(const std::vector<Member>& members) const;

  void SetNode(const cluster::Node& node);
  void RemoveNode(const std::string& name);
  // What others use of a node, those of their pods that matter to rules, and
  // the number of those that keep it from being had whole.
  void SetUnmanaged(const std::string& name, const cluster::Resources& used,
                    const std::vector<const cluster::PodRequest*>& pods = {},
                    int occupants = 0);
  // What pods that have a place on the node use beyond it, by UID, since they
  // were resized there. They hold it like the place, and give it back with it.
  void SetGrown(const std::string& name,
                const std::map<std::string, cluster::Resources>& grown);
  // The pods, by UID, that the node's kubelet has admitted, in order.
  void SetAdmitted(const std::string& name, std::vector<std::string> pods);
  // For a run ahead of time: kubelets give pods what is planned for them.
  void TrustPlans() { graph_.TrustPlansInside(); }
  // Takes what has changed about devices and claims.
  void SetDevices(const DeviceNews& news);
  // Null: not known.
  const cluster::Node* NodeAt(matcher::NodeIndex index) const;
  bool Open(matcher::NodeIndex index) const;
  // A pool, or a node that is open and not to be closed without an end: it can
  // be kept free for a group.
  bool MayBeKept(matcher::NodeIndex index) const;
  // Whether maintenance begins before `end` that is not over now.
  bool HasMaintenance(matcher::NodeIndex index, matcher::Time now,
                      matcher::Time end) const;
  bool HasClosures() const { return !closures_.empty(); }
  // All maintenance that is or is to be, as of now, in place of what was known.
  void SetClosures(const std::vector<NodeClosure>& closures, matcher::Time now);
  // Without it for a while, to be looked at by those who do not mind it.
  void HideClosures();
  void ShowClosures();
  std::vector<matcher::NodeIndex> KnownNodes() const;
  int CountKnown() const { return known_; }
  // What it would have free if no group held anything, per resource.
  std::vector<std::int64_t> WithoutHeld(matcher::NodeIndex index) const;
  // What open nodes with these labels have free now, in sum; what is beyond 64
  // bits counts as their maximum.
  cluster::Resources Free(const NodePredicates::Labels& selector,
                          matcher::Time now) const;
  // Whether a node of this name is known and has these labels.
  bool Selected(const NodePredicates::Labels& selector,
                const std::string& name) const;
  // By which the match policies order nodes: the digits at the end of its name,
  // else its place in the order of appearance.
  std::int64_t LogicalId(matcher::NodeIndex index) const;
  // Of the label kPerformanceLabel; the worst without it, as in Fluxion.
  std::int64_t PerformanceClass(matcher::NodeIndex index) const;
  const matcher::NodeSet* Eligible(const NodePredicates::Labels& selector) {
    return predicates_.Eligible(selector);
  }
  // Whether the node suits a task by itself, however full it is.
  bool MayUse(const matcher::TaskGroup& task, matcher::NodeIndex node) const {
    return task.eligible->Contains(node) && graph_.Allows(task.rules, node);
  }

  // For planning: how long groups of the queue are taken to run that have no
  // deadline.
  void SetAssumedDuration(const std::string& queue,
                          std::optional<std::int64_t> seconds);

  // All pools, in place of those known. True if some have come or gone, so that
  // needs of them differ.
  bool SetPools(const std::vector<Pool>& pools);
  // All that groups of other components hold of pools, in place of what was
  // known.
  void SetPoolsElsewhere(std::vector<PoolHold> holds);
  // Without it for a while.
  void HidePoolsElsewhere();
  void ShowPoolsElsewhere();
  // As a gang needs them. A pool that does not exist is one that has nothing.
  std::vector<matcher::PoolNeed> NeedsOf(const cluster::PoolAmounts& pools);
  // Null: there is no such pool.
  const Pool* FindPool(const std::string& name) const;
  bool IsPool(matcher::NodeIndex index) const {
    return std::ranges::find(pool_indices_, index) != pool_indices_.end();
  }
  // What is free of a pool that is known.
  std::int64_t FreeOf(const std::string& pool, matcher::Time now) const;

  // Who holds what, and who may be evicted.
  const Holdings& holdings() const { return holdings_; }
  EvictionRanks& evictions() { return evictions_; }
  const EvictionRanks& evictions() const { return evictions_; }

  // Books what a group holds, in place of what it held.
  void Hold(const Held& held);
  // Books more for a group that holds something, until the same end. What is
  // returned is all that it holds now.
  const Held& HoldMore(GroupId group, const std::vector<PlacedMember>& more);
  // The graph has just given this to the job of the group's number, which held
  // nothing: tasks in order of members, on these nodes.
  void Note(Held held, std::vector<matcher::NodeIndex> nodes);
  bool Release(GroupId group, const std::string& uid);
  // The group is on its way out for another group.
  void NoteEvicted(GroupId group, GroupId preemptor);
  // When the group ends, as far as is known now.
  void SetEnd(GroupId group, std::optional<matcher::Time> end);
  // Looks at the labels of the pods that hold something again; of those that
  // are not known to `pod_of` they stay as they were.
  using PodOf = std::function<cluster::PodPointer(const std::string& uid)>;
  void Relabel(GroupId group, const PodOf& pod_of);
  void RelabelAll(const PodOf& pod_of);
  // Whether Relabel() would change something; the group of the pod, if so.
  std::optional<GroupId> Mislabelled(const cluster::Pod& pod);
  matcher::NodeIndex IndexOfNode(const std::string& held_node) const {
    return nodes_.at(held_node).index;
  }
  // Where the group holds something, each node and pool once, in order.
  std::vector<matcher::NodeIndex> IndicesOf(GroupId group) const;
  // The node of each place of the group and of those that extend it, in order.
  std::vector<matcher::NodeIndex> PlacesOf(GroupId group) const;
  // Those of them that have pods which do not count for the numbers of pods
  // (GroupTopology::uncounted).
  std::vector<matcher::NodeIndex> UncountedPlacesOf(GroupId group) const;

  // Groups of which what they hold has changed since the last call; all that
  // hold something, after TouchAll().
  std::vector<GroupId> TakeTouched() { return holdings_.TakeTouched(); }
  void TouchAll() { holdings_.TouchAll(); }
  // With devices by class, as accounts count them (device_counts.h).
  std::vector<std::int64_t> AmountsOf(const Held& held) const;
  // What a pod has of its node: its place, and what it has grown by.
  std::vector<std::int64_t> HeldOfNode(const PlacedMember& member) const;
  // kForever if it has none.
  matcher::Time PlannedEnd(const Held& held) const;
  // The resource of that name, as in amounts.
  std::size_t IndexOf(const std::string& resource);
  // What all known nodes have, per resource, and how many devices there are of
  // a class that accounts count.
  const std::vector<double>& Capacity() const;

  // When the last of those ends that were evicted for this group and hold
  // something still; nothing: there are none.
  std::optional<matcher::Time> EvictedUntil(GroupId preemptor) const;
  // Groups without a deadline that run longer than is assumed.
  std::vector<GroupId> Overstaying(matcher::Time now) const;
  // What groups hold that have no end known, per node and resource.
  std::map<matcher::NodeIndex, std::vector<double>> HeldWithoutEnd() const;
  // Whether a group holds some of the nodes, or pools, that should have ended
  // by now.
  bool AnyOverdue(const std::vector<matcher::NodeIndex>& nodes,
                  matcher::Time now) const;

  matcher::NodeGraph& graph() { return graph_; }
  const matcher::NodeGraph& graph() const { return graph_; }
  bool HasChanges() const { return !changes_.Empty(); }
  GraphChanges TakeChanges();

 private:
  struct KnownNode {
    cluster::Node node;
    bool known = false;             // else others only speak of it
    matcher::NodeIndex index = -1;  // -1: not in the graph
    std::int64_t id = 0;
    cluster::Resources unmanaged;
    std::vector<const cluster::PodRequest*> unmanaged_pods;
    int occupants = 0;
    std::map<std::string, std::vector<std::int64_t>> grown;  // by UID
    std::vector<std::string> admitted;  // UIDs, if its kubelet says anything
    std::vector<std::int64_t> totals;   // of `node`
    std::vector<std::int64_t> others;   // of `unmanaged`
    int places = 0;                     // held on it
    // Maintenance: from when until when, and whether it takes nothing now.
    std::vector<std::pair<matcher::Time, matcher::Time>> closures;
    bool shut = false;
  };
  // As it was booked, with the places for pods that its nodes had.
  struct BookedClosure {
    NodeClosure closure;
    std::vector<std::int64_t> pods;
    bool operator==(const BookedClosure&) const = default;
  };

  std::vector<std::int64_t> Vector(const cluster::Resources& resources);
  std::size_t ResourceIndex(const std::string& name);
  // A pool of the graph, whether it exists or not.
  struct GraphPool {
    Pool pool;
    matcher::NodeIndex index = -1;
    bool known = false;  // else it is only held, or named by quotas
  };
  GraphPool& PoolInGraph(const std::string& name);
  matcher::NodeIndex AddPool(const std::string& name);
  // What a group holds.
  std::vector<matcher::PoolNeed> HeldOf(const cluster::PoolAmounts& pools);
  void LeavePools(const Held& held, matcher::Time until);
  void NotePool(const GraphPool& pool);
  KnownNode& InGraph(const std::string& name);
  std::int64_t ChooseId(const std::string& name);
  void Forget(KnownNode& node);
  void Forget(const Holding& over);
  void ReleaseAll(Holding& holding);
  void NoteGone(Holding& holding);
  // Of what is given back: when it would have ended, and for which request;
  // null: more than that may be free now.
  void LeaveNode(matcher::NodeIndex node, matcher::Time until,
                 const cluster::PodRequest* request);
  void Grow(matcher::NodeIndex node, matcher::Time until = matcher::kForever);
  // Sets what is inside of the node; an empty text: it is not known.
  void SetInside(matcher::NodeIndex node, const std::string& structure);
  void SetGiven(KnownNode& node);
  void SetClaim(const AllocatedClaim& claim);
  void NoteDevices(const std::string& node, bool more);
  void MarkAdmitted(const KnownNode& node);
  bool HasGrown(const PlacedMember& member) const;
  void ChargeUnmanaged(KnownNode& node);
  void Book(Holding& holding);
  void Book(const PoolHold& hold);
  void Book(const BookedClosure& booked);
  void NoteClosure(const NodeClosure& closure);
  void SetOpenAsKnown(KnownNode& node);

  matcher::NodeGraph graph_;
  // The last structure that was read: nodes that come together often have the
  // same.
  std::string last_structure_;
  matcher::ResourceGraph last_inside_;
  std::map<std::string, std::size_t> resources_;  // extended ones
  std::map<std::string, GraphPool> pools_;
  std::vector<matcher::NodeIndex> pool_indices_;  // few
  matcher::NodeIndex no_pool_ = -1;        // has nothing; -1: not needed yet
  std::vector<PoolHold> pools_elsewhere_;  // sorted
  InternedRequests requests_;
  NodePredicates predicates_;
  std::unordered_map<std::string, KnownNode> nodes_;
  int known_ = 0;  // of the nodes
  std::vector<KnownNode*> by_index_;
  std::unordered_map<std::string, std::int64_t> appearance_;
  std::map<std::string, std::int64_t> assumed_;  // seconds, by queue
  Holdings holdings_;
  EvictionRanks evictions_;
  std::map<std::int64_t, BookedClosure> closures_;  // by window
  GraphChanges changes_;
  // The node of each claim that has devices; empty: several can use them.
  std::unordered_map<std::string, std::string> claims_;
  mutable std::optional<std::vector<double>> capacity_;  // while it is so
  bool wants_reasons_ = true;
};

}  // namespace fluxnetes::workers
