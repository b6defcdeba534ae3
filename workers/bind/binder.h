// Binds placed pods to their nodes: leases `bind` jobs, checks all members of a
// group once more before the first POST, POSTs their bindings, and records what
// the API server answered.
//
//   all bound ──────────────────────────▶ the group is bound
//   a check fails, or none was bound ───▶ the whole group goes back to pending
//   some bound, others cannot be ───────▶ bound ones stay, the others are
//                                         matched again, first in the
//                                         pending order
//
// A group of which the API server refused something (for lack of a right, or by
// a policy) is matched again after a pause.
//
// A POST names the pod's UID and resource version, so a repeated POST, or a
// late one from a process that was paused, does no harm. Where another binder
// may still be posting, the unbound pods of a group that goes back are patched
// first: the old POST then meets a conflict, or is found to have succeeded. A
// group whose revision has changed is left to the job of the new revision.
//
// A lease does not wait for the disk. If a crash of the server undoes the
// lease, the job is leased again in an attempt of the same number. The first
// binder then records nothing, since its connection has broken, and reads again
// how the bindings turned out.
//
// RunOnce() from one thread. Several binders may run, in this process and in
// others: one writes to the database while another waits for the API server.
// Throws sql::Error. cluster::Unreachable is thrown after the jobs are put off.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cluster/cluster.h"
#include "cluster/cluster_cache.h"
#include "cluster/scheduler_names.h"
#include "queue/clients/batch_lease.h"
#include "queue/clients/handover.h"
#include "queue/store/work_queue.h"
#include "sql/connection/pool.h"
#include "sql/connection/transaction.h"
#include "workers/bind/bind_claims.h"
#include "workers/bind/bind_devices.h"
#include "workers/bind/event_recorder.h"
#include "workers/decision/decision.h"
#include "workers/loops/binding_ledger.h"

namespace fluxnetes::workers {

class Binder {
 public:
  struct Options {
    cluster::SchedulerNames schedulers{};
    // Pods at once, estimated from the size of the last groups.
    int batch = 512;
    std::chrono::milliseconds deadline{5'000};  // for the POSTs of a batch
    std::chrono::milliseconds retry{200};       // until a check is repeated
    // The delay before a group of which the cluster refused something is
    // matched again.
    std::chrono::milliseconds after_refusal{5'000};
    // How long claims may wait for their volumes once their nodes are
    // announced, and for the conditions of their devices. (kube-scheduler:
    // bindTimeoutSeconds, bindingTimeout.)
    std::chrono::milliseconds claim_timeout{600'000};
    // Called before a batch is bound if more jobs wait: another binder may
    // begin.
    std::function<void()> on_more = nullptr;
    // Called after each batch with the groups bound and the groups sent back.
    std::function<void(const std::vector<GroupId>&,
                       const std::vector<GroupId>&)>
        on_bound = nullptr;
    // Notified of each binding, if set.
    BindingLedger* binding_ledger = nullptr;
    EventRecorder* event_recorder = nullptr;
    // From the match of this process, if set.
    queue::Handover* handover = nullptr;
  };

  Binder(sql::Pool& pool, queue::WorkQueue& jobs, const queue::Client& client,
         cluster::Cluster& cluster, const cluster::ClusterCache& cache,
         Options options);

  // Runs one batch. Returns true if there is more to do at once.
  bool RunOnce(cluster::Time now);

 private:
  struct BoundMember {
    std::string uid;
    std::string namespace_name;
    std::string pod_name;
    std::string resource_version;
    std::string node;     // the node to bind it to, or of its binding
    bool bound = false;   // in the API server
    bool posted = false;  // by this binder, now, to `node`
    std::string problem;  // why it cannot be bound
    cluster::PodPointer pod = nullptr;
    std::string resource_set;  // inside of its node; empty: amounts alone
    std::string devices;       // of its claims; empty: none
    cluster::GroupTopology topology = {};
  };
  struct BindGroup {
    queue::Job job;
    GroupId id = 0;
    int revision = 0;
    bool waits = false;    // for the watch to catch up, or for claims
    bool refused = false;  // by the cluster; an immediate retry would fail too
    bool newer = false;    // a binding names a later version than was read
    std::string awaited;   // what it waits for, and until when, for people
    std::string problem;   // why it is sent back
    cluster::Time allocated_at{};
    std::chrono::milliseconds delay{0};  // before it is looked at again
    std::vector<cluster::NodeAnnouncement> announcements;
    std::vector<cluster::ClaimAllocation> device_claims;  // to be written
    std::vector<BoundMember> members;
    bool whole_nodes = false;  // it has its nodes for itself
    // The members that were bound before, by node and topology.
    std::vector<std::pair<std::string, cluster::GroupTopology>> there;
  };

  // The outcome of a batch, as arrays for the database.
  struct BatchRecord {
    std::vector<GroupId> groups;  // all groups, with the results of their jobs
    std::vector<queue::JobResult> results;
    std::vector<std::string> uids;  // bound members, with their nodes
    std::vector<std::string> nodes;
    std::vector<GroupId> bound;
    // Those that wait, with the revisions read and with what they wait for.
    std::vector<GroupId> waiting;
    std::vector<int> revisions_of_waiting;
    std::vector<std::string> awaited;
    // Sent back, with the revisions read and the reasons.
    std::vector<GroupId> back;
    std::vector<int> revisions;
    std::vector<std::string> reasons;
    std::set<GroupId> refused;  // those of `back` that the cluster refused
  };

  void Bind(const std::vector<queue::Job>& jobs, cluster::Time now);
  std::vector<BindGroup> Read(const std::vector<queue::Job>& jobs);
  void Check(BindGroup& group) const;
  void CheckTopology(BindGroup& group) const;
  // Makes the whole group wait while a claim of one of its pods has no volume.
  void CheckClaims(BindGroup& group, cluster::Time now);
  // The same of its claims of devices. If they are written already, the watch
  // shows whether a device is not ready, so a wait costs no request.
  void CheckDevices(BindGroup& group, cluster::Time now) const;
  // Gives the claims of the groups that can be bound their devices, and makes
  // those wait of which a device is not ready.
  void AllocateDevices(std::vector<BindGroup>& groups, cluster::Time now);
  void CheckConditions(BindGroup& group, const cluster::ClaimDevices& devices,
                       const cluster::ResourceClaim& claim,
                       cluster::Time now) const;
  // Makes the group wait, unless that has taken too long: then it goes back.
  // `awaited`: what waits for what.
  void Await(BindGroup& group, cluster::Time now,
             const std::string& awaited) const;
  // Writes the selected nodes to the claims that lack them.
  void AnnounceNodes(std::vector<BindGroup>& groups);
  void CheckRoom(std::vector<BindGroup>& groups);
  // Reads the revisions of groups whose pods have newer versions in the cache,
  // after these versions were read: a group that was held or changed since is
  // left alone. Intake raises the revision before it patches the pods, so a
  // binding that passes here and arrives late meets a conflict. Versions that
  // were read together with the revision need no such check.
  void Confirm(std::vector<BindGroup>& groups);
  bool StillAllocated(const BindGroup& group);
  bool OthersMayPost(const BindGroup& group) const;
  static cluster::Binding BindingOf(const BoundMember& member);
  void Post(std::vector<BindGroup>& groups);
  void Settle(BindGroup& group, BoundMember& member,
              const cluster::BindResult& result);
  void TouchUnbound(BindGroup& group);
  BatchRecord Sum(const std::vector<BindGroup>& groups) const;
  void Record(const std::vector<BindGroup>& groups, cluster::Time now);
  // Returns those of record.back that did go back, with their new match jobs.
  std::vector<GroupId> SendBack(sql::Transaction& transaction,
                                const BatchRecord& record,
                                const std::vector<bool>& leased,
                                cluster::Time now);
  // `whole`: the groups that were recorded as bound in the state in which they
  // were read.
  void TellBindingLedger(const std::vector<BindGroup>& groups,
                         const std::set<GroupId>& whole);
  void Announce(const std::vector<BindGroup>& groups, cluster::Time now);

  sql::Pool& pool_;
  queue::WorkQueue& jobs_;
  queue::BatchLease leased_;
  cluster::Cluster& cluster_;
  const cluster::ClusterCache& cache_;
  const Options options_;
  BindClaims claims_;
  const BindDevices devices_;
  const std::chrono::steady_clock::time_point started_;
  std::int64_t broken_ = 0;  // connections, before the lease
  int limit_;                // groups at once
  // Pods that binding_ledger counts as under way.
  std::vector<std::string> begun_;
};

}  // namespace fluxnetes::workers
