// The scheduling state of one component: its resource graph, its queues and the
// groups that wait, all in memory, and the decision as a function of them and
// of the time. It reads no clock and writes nothing; the match worker feeds it
// from the database and the cluster and commits what it decides. The simulator
// uses it as it is.
//
// Order, over all queues of the component: first in line, then priority (higher
// first), then what the order of the queue says (QueueOrder), then age, then
// id. Where some queues of a component go by fair shares, all should: groups
// of the others go before theirs. A group keeps the standing that it had when
// it was promised something. `fcfs` stops its own queue at the first group that
// does not fit. `easy` gives that one, the head, a reservation and starts
// others behind it that do not delay it (Lifka 1995, "The ANL/IBM SP Scheduling
// System"); each easy queue has a head of its own, and it holds against all
// groups behind it in whatever queue. A head is planned anew when something
// ended, changed, or came ahead of it, never for what is behind it.
//
// `conservative` and `hybrid` give the first groups that do not fit a
// reservation each, `reservation_depth` of them (Mu'alem and Feitelson 2001,
// "Utilization, Predictability, Workloads, and User Runtime Estimates in
// Scheduling the IBM SP2 with Backfilling"). A reservation stays as it is while
// it can be kept:
//
//   a group came     it gets the earliest time beside all that stand. If it
//                    ranks before some of these, they are withdrawn first; in
//                    order, each that can still be kept is, the others get the
//                    earliest time that is left
//   time came free   in order, each is taken out and put where it starts
//                    earlier, if it can be, beside all others; again until
//                    nothing moves
//   it is broken     (a node went, or what runs there overstays) as if the
//                    group had come anew
//
// So nothing that ranks behind a group ever makes it later. Where the promises
// of many groups are to be made, a cycle makes some and leaves the others to
// the next; meanwhile groups behind them start if they end before what these
// were promised.
//
// A head gets a drain set, nodes that nothing behind it may enter, where no
// time can be given because what runs has no end. The nodes are taken from the
// one with least held by groups without end, then with least held, then in the
// order of the match policy, until they would hold the group if emptied; those
// that are not needed are left out, last first. When the time of a reservation
// has come and its nodes are still held, they become its drain set. Of the
// other kind a queue has one at most.
//
// A group whose account has no quota left is passed over and promised nothing:
// quotas.h.
//
// A cycle costs by shapes and by what changed, not by how many groups wait:
// groups of one shape fit or do not fit alike, and a shape that did not fit is
// not asked again until something was released, opened or added, or, if its
// pods have rules about other pods, these came or went anywhere. `queue_depth`
// counts the shapes that do not fit which a cycle looks at. Groups are of one
// shape if their pods ask for the same and no rule of a pod can tell them
// apart.
//
// The first group of a queue that preempts, if it does not fit, may evict
// others for its place (preemption.h): they end after their grace period, and
// it is promised what they leave. An `fcfs` queue that preempts promises its
// first a place, too, as `easy` does, so that it is kept; also when another
// comes before it meanwhile: when those that went for it are gone it starts, if
// that does not delay the other. A group that stands
// before may still take it; then others may be evicted. What was tried in vain
// is tried again when other groups than those that could be evicted have gone,
// or such have come, or nodes or promises have changed.
//
// One that only waits for quota evicts nobody for room. If what it waits for is
// its own and was lent, it may take that back, and is promised nodes from when
// the others are gone.
//
// What would still run when maintenance of a node begins does not start there;
// what runs there is not its concern.
//
// A head that would not fit even if it needed nothing, because of where other
// pods are or are not, is promised nothing: keeping nodes free does not help
// it.
//
// What could not fit even if all open nodes were empty is unsatisfiable: out of
// the way of the others until a node is added or changed. A group that can be
// placed again is said to be pending first: verdicts are to be written before
// placements.
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
#include "workers/decision/held.h"
#include "workers/decision/maintenance_windows.h"
#include "workers/decision/queue_settings.h"

namespace fluxnetes::workers {

class Schedule {
 public:
  Schedule();
  ~Schedule();

  // One object per distinct request; one with rules about pods lives until a
  // Decide() when no group and no node here has it.
  const cluster::PodRequest* Intern(const std::string& request_json);
  // Where rules of pods look at other pods, it matters which labels a pod has.
  // That of a pod that waits, in place of what Intern() said:
  const cluster::PodRequest* OfPod(const cluster::PodRequest* request,
                                   const cluster::Pod& pod);
  // That of a pod which has its node, in place of what it holds; for a pod of
  // others (`held` is null) null if it does not matter.
  const cluster::PodRequest* OfPlaced(const cluster::PodRequest* held,
                                      const cluster::Pod& pod);
  // Labels of all namespaces, which rules may select by.
  void SetNamespaces(std::map<std::string, cluster::LabelMap> namespaces);
  // Whether any rule looks at labels of pods; whether, since the last call, one
  // has come that looks at labels which none did before, or namespaces have
  // changed that one looks at. Then all pods are to be looked at again:
  // RelabelAll(), and SetForeign() of each node.
  bool LooksAtLabels() const;
  bool TakeNewSelectors();
  using PodOf = std::function<cluster::PodPointer(const std::string& uid)>;
  void RelabelAll(const PodOf& pod_of);
  // The labels of a pod that holds a place are these now.
  void Relabel(const cluster::Pod& pod, const PodOf& pod_of);

  // Nobody reads why groups wait: decisions say nothing of it from now on,
  // which costs more than all the rest of them.
  void LeaveReasonsOut();
  // Nobody asks for single pods: groups are released as a whole, and nothing
  // says where a pod is. To be said first.
  void LeavePodsOut();

  void SetQueue(const QueueSettings& settings);
  void RemoveQueue(const std::string& name);

  // In place of those that were known.
  void SetAccounts(const std::vector<Account>& accounts);
  // What the payers' groups had used by `at`: to begin with.
  void SetUsed(const std::vector<AccountUse>& used, matcher::Time at);
  // What groups of other schedules hold, in place of what was known; from now
  // on decisions say what those of this one hold.
  void SetElsewhere(const std::vector<AccountHolds>& elsewhere);
  // Adds or changes a node. What others use on it is set apart.
  void SetNode(const cluster::Node& node);
  void RemoveNode(const std::string& name);
  // `pods`: those of the pods there that matter to rules, by OfPlaced().
  void SetForeign(const std::string& node, const cluster::Resources& used,
                  const std::vector<const cluster::PodRequest*>& pods = {});

  // Maintenance that is or is to be, as of now, in place of what was known:
  // what would be on its nodes then does not fit there, and what is promised
  // there is planned anew. The nodes are known.
  void SetClosures(const std::vector<NodeClosure>& closures, matcher::Time now);

  // Books what a group holds; replaces what it held before. The nodes need not
  // be known (yet).
  void Restore(const Held& held);

  // Adds a waiting group, or replaces it if it is known. If it holds places
  // already, `members` are those that have none yet. A group without members
  // waits for nothing and is not added.
  void Add(PendingGroup group);
  // What an earlier schedule had promised a group that waits, or will be added:
  // it is kept if it can be. Call ForgetPromised() when all groups were added.
  void Promised(const Reservation& reservation);
  void ForgetPromised();

  // Takes a waiting group out, to be added again later; nothing if it is
  // unknown.
  std::optional<PendingGroup> Take(GroupId group);
  // It waits no longer (cancelled, changed, placed elsewhere). False: unknown.
  bool Remove(GroupId group);

  // What a pod was granted where it has its place; null: it has none.
  const cluster::Resources* GrantOf(const std::string& uid) const;

  // A pod gave its place back; an empty uid: all of the group's. False if that
  // was not held.
  bool Release(GroupId group, const std::string& uid);

  // What the open nodes of a queue have free in sum; nothing if it is unknown.
  // Costs a pass over the nodes.
  cluster::Resources Free(const std::string& queue, matcher::Time now) const;
  // Whether the labels of the node are those that the queue wants.
  bool Uses(const std::string& queue, const std::string& node) const;

  // Where the pod's place is, if it holds one.
  std::optional<std::string> NodeOf(const std::string& uid) const;

  // Whether groups that were evicted for it hold something still.
  bool OthersLeaveFor(GroupId group) const;

  // The nodes on which the group holds something, each once, in order.
  std::vector<std::string> NodesOf(GroupId group) const;

  // A time before one that was given counts as that.
  // Decides about everything that may have changed. What it places is booked at
  // once and leaves the line. At most `limit` placements; More() says whether
  // to go on at once.
  Decision Decide(matcher::Time now, int limit = 1'000);
  bool More() const;

  // A placement that could not be committed: gives its places back, those that
  // the group held before stay. It does not come back into the line by itself.
  void Undo(const Placed& placed);

  // When the next reservation is due: Decide() has something to do then, even
  // if nothing else happens.
  std::optional<matcher::Time> NextDue() const;

  // The groups that wait, in the order in which they are asked: of each queue
  // the first `limit`, without those that can never fit.
  std::vector<GroupId> InOrder(std::size_t limit);

  std::size_t pending() const;
  std::size_t shapes() const;

  // A picture of the graph without reservations: equal for schedules that know
  // the same nodes and in which the same is held.
  std::string Describe() const;

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::workers
