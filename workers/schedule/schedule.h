// The scheduling state of one component: its resource graph, its queues and its
// waiting groups, all in memory, and the decision as a function of these and of
// the time. It reads no clock and writes nothing: the match worker feeds it
// from the database and the cluster, and commits what it decides. The simulator
// uses it as it is. SCHEDULING.md says which algorithms these are, by whom, and
// where in the code they are.
//
// The pending order, over all queues of the component: first_in_line, then
// priority (higher first), then the order of the queue (QueueOrder), then age,
// then id. If one queue of a component uses fair shares, all should: groups of
// the other queues are ahead of its groups. A blocked group keeps the standing
// at which it was blocked.
//
// `fcfs` stops its queue at the first group that does not fit. `easy` gives
// that blocked group a reservation, and starts groups behind it that do not
// delay it. Each easy queue has one reservation. It holds against all groups
// behind it, in any queue; it is planned anew if a group ends early, changes or
// comes ahead of it. `conservative` and `hybrid` give a reservation each to the
// first groups that do not fit, `reservation_depth` of them, and keep it while
// they can:
//
//   a group came     it gets the earliest start beside all reservations. If it
//                    is ahead of some, these are withdrawn first; then, in
//                    order, each that can still be kept is, and the others get
//                    the earliest start that is left
//   room came free   in order, each reservation is taken out and put where it
//                    starts earlier, if it can be, beside all others; again
//                    until nothing moves
//   it is broken     (a node went, or a group there outlives its end) as if the
//                    group had just come
//
// So no group behind another ever makes that later. Where many reservations are
// to be planned, a cycle plans some and leaves the others to the next;
// meanwhile groups behind these start if they end before the starts that they
// had.
//
// A blocked group gets a drain set, nodes that nothing behind it may enter,
// where no start can be known since what runs has no end. Nodes are taken in
// order of what groups without an end hold on them, then of what all groups
// hold, least first, then of the match policy, until they would hold the group
// if emptied; those that are not needed are left out, last first. If the start
// of a reservation has come and its nodes are still held, they become its drain
// set. A queue has at most one drain set that did not come from an overdue
// reservation.
//
// A group whose account has no quota left is passed over and gets no
// reservation: quotas.h.
//
// A cycle costs by shapes and by what changed, not by the number of waiting
// groups: groups of one shape fit or do not fit alike, and a shape that did not
// fit is not asked again until something was released, opened or added, or, if
// its pods have rules about other pods, these came or went anywhere.
// `queue_depth` is the number of shapes that do not fit which a cycle looks at.
// Groups are of one shape if their pods have the same requests and no rule of a
// pod can tell them apart.
//
// The first group of a queue that preempts, if it does not fit, may evict
// others for its place (preemption.h): these end after their grace period, and
// it gets a reservation of what they leave. For that an `fcfs` queue that
// preempts gives its first group a reservation, as `easy` does. The reservation
// stays even if another group comes ahead: once the victims are gone the group
// starts, unless that delays the other. A group ahead may still take the place;
// then others may be evicted. A search for victims that found none is repeated
// when groups other than its candidates have ended, candidates have come, or
// nodes or reservations have changed.
//
// A group that only waits for quota evicts nobody for room. If the quota is its
// own and was lent, it may take that back, and gets a reservation of nodes from
// when the borrowers are gone.
//
// A group that needs of a pool of the whole cluster (pool.h) waits for it as
// for nodes: in reservations, which hold the pool from their start on, in
// backfilling, and with evictions of groups that hold it. Where no start can be
// known, the pool is part of the drain set, or all of it if nothing else is
// lacking. Other components know what groups here hold of pools, not what is
// reserved: so a group of another component may start before a reservation and
// make it later.
//
// A group that would still run when maintenance of a node begins does not start
// there. Groups that run there already are left alone.
//
// A blocked group that would not fit even if it needed nothing, because of
// where other pods are or are not, gets neither a reservation nor a drain set:
// nodes kept free would not help it.
//
// A group that would not fit if all open nodes were empty is unsatisfiable: out
// of the way of the others until a node is added or changed. A group that can
// be placed again is reported as pending first: verdicts are to be written
// before placements.
//
// Owned by one thread.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/cluster_cache.h"
#include "cluster/objects/node.h"
#include "workers/decision/accounts.h"
#include "workers/decision/decision.h"
#include "workers/decision/device_news.h"
#include "workers/decision/held.h"
#include "workers/decision/maintenance_windows.h"
#include "workers/decision/pool.h"
#include "workers/decision/queue_settings.h"
#include "workers/decision/request_maker.h"

namespace fluxnetes::workers {

class Schedule {
 public:
  Schedule();
  ~Schedule();

  // Returns one object per distinct request. One with rules about pods lives
  // until a Decide() when no group and no node here has it.
  const cluster::PodRequest* Intern(const std::string& request_json);
  // The same as a function, which lives no longer than the schedule.
  RequestMaker requests();
  // Where rules look at other pods, the labels of a pod matter. Returns the
  // request of a waiting pod, in place of what Intern() returned.
  const cluster::PodRequest* OfPod(const cluster::PodRequest* request,
                                   const cluster::Pod& pod);
  // Returns the request of a pod that has its node, in place of what it holds;
  // for an unmanaged pod (`held` is null) null if no rule looks at it.
  const cluster::PodRequest* OfPlaced(const cluster::PodRequest* held,
                                      const cluster::Pod& pod);
  // Sets the labels of all namespaces, which rules may select by.
  void SetNamespaces(std::map<std::string, cluster::LabelMap> namespaces);
  // Takes what has changed about devices and claims.
  void SetDevices(const DeviceNews& news);
  // Whether any rule looks at labels of pods; whether, since the last call, a
  // rule has come that looks at labels which none did before, or namespaces
  // have changed that a rule looks at. Then all pods are to be looked at again:
  // RelabelAll(), and SetUnmanaged() of each node.
  bool LooksAtLabels() const;
  bool TakeNewSelectors();
  using PodOf = std::function<cluster::PodPointer(const std::string& uid)>;
  void RelabelAll(const PodOf& pod_of);
  // Takes over the labels of a pod that has its node.
  void Relabel(const cluster::Pod& pod, const PodOf& pod_of);

  // From now on decisions do not say why groups wait, which costs more than all
  // the rest of them.
  void LeaveReasonsOut();
  // Pods are not found by their UIDs: groups are released as a whole. To be
  // called first.
  void LeavePodsOut();

  void SetQueue(const QueueSettings& settings);
  void RemoveQueue(const std::string& name);

  // Replaces the accounts.
  void SetAccounts(const std::vector<Account>& accounts);
  // Sets what the payers' groups had used by `at`, to begin with.
  void SetUsed(const std::vector<AccountUse>& used, matcher::Time at);
  // Replaces what groups of other schedules hold. From now on decisions say
  // what the groups of this one hold.
  void SetElsewhere(const std::vector<AccountHolds>& elsewhere);
  // Replaces the pools.
  void SetPools(const std::vector<Pool>& pools);
  // Replaces what groups of other components hold of pools.
  void SetPoolsElsewhere(const std::vector<PoolHold>& holds);
  // Adds or changes a node. What unmanaged pods use there is set apart.
  void SetNode(const cluster::Node& node);
  void RemoveNode(const std::string& name);
  // Sets what unmanaged pods use on a node. `pods`: those of them that rules
  // look at, by OfPlaced(); `occupants`: the number of those because of which
  // no group can have the node for itself.
  void SetUnmanaged(const std::string& node, const cluster::Resources& used,
                    const std::vector<const cluster::PodRequest*>& pods = {},
                    int occupants = 0);

  // Sets what pods that have a place on the node use beyond it, by UID. A group
  // that needs of it waits for them.
  void SetGrown(const std::string& node,
                const std::map<std::string, cluster::Resources>& grown);

  // Sets the pods, by UID and in order, that the node's kubelet has admitted.
  // It matters where the node says what its kubelet has given away.
  void SetAdmitted(const std::string& node, std::vector<std::string> pods);
  // For a run ahead of time, of which no kubelet tells: those give pods that
  // are placed from now on what is planned for them.
  void TrustPlans();

  // Replaces the maintenance that is or is to be. A group that would be on its
  // nodes then does not fit there, and reservations there are planned anew. The
  // nodes are known.
  void SetClosures(const std::vector<NodeClosure>& closures, matcher::Time now);

  // Books what a group holds, in place of what it held. The nodes need not be
  // known (yet).
  void Restore(const Held& held);

  // Adds a waiting group, or replaces it if it is known. If it holds an
  // allocation already, `members` are those that have no node yet. A group
  // without members waits for nothing and is not added.
  void Add(PendingGroup group);
  // Sets what an earlier schedule had reserved for a group that waits or will
  // be added: it is kept if it can be. To be called before the first Decide(),
  // and ForgetPromised() when all groups have been added.
  void Promised(const Reservation& reservation);
  void ForgetPromised();

  // Takes a waiting group out, to be added again later; none if it is unknown.
  std::optional<PendingGroup> Take(GroupId group);
  // Removes a group that waits no longer (cancelled, changed, placed
  // elsewhere). False: it is unknown.
  bool Remove(GroupId group);

  // Returns what a pod was granted on its node; null: it has none.
  const cluster::Resources* GrantOf(const std::string& uid) const;

  // Releases what a pod holds; an empty uid: all that the group holds. False:
  // nothing was held.
  bool Release(GroupId group, const std::string& uid);

  // Returns what the open nodes of a queue have free in sum; nothing if the
  // queue is unknown. Costs a pass over the nodes.
  cluster::Resources Free(const std::string& queue, matcher::Time now) const;
  // Whether the node has the labels that the queue selects by.
  bool Uses(const std::string& queue, const std::string& node) const;

  // Returns the node of a pod, if it has one.
  std::optional<std::string> NodeOf(const std::string& uid) const;

  // Returns from when on the group holds what it holds; nothing: it holds
  // nothing.
  std::optional<matcher::Time> StartOf(GroupId group) const;

  // Whether groups that were evicted for this one hold something still.
  bool OthersLeaveFor(GroupId group) const;

  // Returns the nodes on which the group holds something, each once, in order.
  std::vector<std::string> NodesOf(GroupId group) const;

  // Decides about everything that may have changed. What it places is booked at
  // once and waits no longer. It places at most `limit` groups; More() says
  // whether to go on at once. `now` never goes back: an earlier time counts as
  // the latest given.
  Decision Decide(matcher::Time now, int limit = 1'000);
  bool More() const;

  // Releases a placement that could not be committed; what the group held
  // before stays. The group does not wait again by itself.
  void Undo(const Placed& placed);

  // Returns when the next reservation is due: Decide() has something to do
  // then, even if nothing else happens.
  std::optional<matcher::Time> NextDue() const;

  // Returns the waiting groups in pending order: of each queue the first
  // `limit`, without those that can never fit.
  std::vector<GroupId> InOrder(std::size_t limit);

  std::size_t pending() const;
  std::size_t shapes() const;

  // Returns a picture of the graph without reservations: equal for schedules
  // that know the same nodes and in which groups hold the same.
  std::string Describe() const;

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::workers
