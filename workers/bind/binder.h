// Gives placed pods to their nodes: leases `bind` jobs, checks all members of a
// group once more before the first POST, POSTs their bindings, and records what
// the cluster said.
//
//   all bound ──────────────────────────▶ the group is bound
//   a check fails, or none was bound ───▶ the group goes back whole
//   some bound, others cannot be ───────▶ bound ones stay, the others are
//                                         matched again, first in line
//
// What the cluster refuses (a right is missing, a policy is against it) is
// matched again after a pause.
//
// A POST names the pod's UID and resource version, so repeating one, or one
// that comes late from a process that was paused, harms nothing: where another
// binder may still be posting, the pods of a group that goes back are touched
// first, and the old POST meets a conflict or is found to have come through. A
// group that changed meanwhile is another job's.
//
// A lease does not wait for the disk. If a crash of the server undoes it, the
// job is leased once more, in an attempt of the same number; who had it records
// nothing, since a connection has broken, and reads again what has come of it.
//
// RunOnce() from one thread; several binders may run, here and elsewhere: while
// one waits for the cluster, another one writes.
// Throws sql::Error; cluster::Unreachable is a reason to try the jobs later.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cluster/cluster.h"
#include "cluster/cluster_cache.h"
#include "queue/clients/lessee.h"
#include "queue/store/work_queue.h"
#include "sql/connection/pool.h"
#include "sql/connection/transaction.h"
#include "workers/bind/announcer.h"
#include "workers/bind/bind_claims.h"
#include "workers/decision/decision.h"
#include "workers/loops/own_bindings.h"

namespace fluxnetes::workers {

class Binder {
 public:
  struct Options {
    int batch = 512;  // pods at once, as far as the last groups tell
    std::chrono::milliseconds deadline{5'000};  // for the POSTs of a batch
    std::chrono::milliseconds retry{200};       // until a check is repeated
    // Until a group is matched again of which the cluster refused something.
    std::chrono::milliseconds after_refusal{5'000};
    // How long claims may take to get their volumes once their nodes are
    // announced. (kube-scheduler: bindTimeoutSeconds.)
    std::chrono::milliseconds claim_timeout{600'000};
    // Told before a batch is bound if more waits: another binder may begin.
    std::function<void()> on_more = nullptr;
    // Told after each batch: groups bound, groups sent back.
    std::function<void(const std::vector<GroupId>&,
                       const std::vector<GroupId>&)>
        on_bound = nullptr;
    // Told of each binding, if there.
    OwnBindings* own_bindings = nullptr;
    Announcer* announcer = nullptr;
  };

  Binder(sql::Pool& pool, queue::WorkQueue& jobs, const queue::Client& client,
         cluster::Cluster& cluster, const cluster::ClusterCache& cache,
         Options options);

  // One batch; true if there is more to do at once.
  bool RunOnce(cluster::Time now);

 private:
  struct BoundMember {
    std::string uid;
    std::string namespace_name;
    std::string pod_name;
    std::string resource_version;
    std::string node;     // where it is to go, or is
    bool bound = false;   // Kubernetes says so
    bool posted = false;  // by us, now, to `node`
    std::string problem;  // why it cannot be
    cluster::PodPointer pod = nullptr;
  };
  struct BindGroup {
    queue::Job job;
    GroupId id = 0;
    int revision = 0;
    bool waits = false;    // for the watch to catch up, or for claims
    bool refused = false;  // by the cluster; soon again would change nothing
    bool newer = false;    // a binding names a later version than was read
    std::string problem;   // why it goes back
    cluster::Time allocated_at{};
    std::chrono::milliseconds delay{0};  // until it is looked at again
    std::vector<cluster::NodeAnnouncement> announcements;
    std::vector<BoundMember> members;
    std::string together;            // the label by which all must be together
    std::vector<std::string> there;  // then: nodes of pods that were bound
  };

  // What a batch came to, as arrays for the database.
  struct BatchRecord {
    std::vector<GroupId> groups;  // all, and the results of their jobs
    std::vector<queue::JobResult> results;
    std::vector<std::string> uids;  // of bound members, and their nodes
    std::vector<std::string> nodes;
    std::vector<GroupId> bound;
    std::vector<GroupId> back;  // with the revisions that were read, and why
    std::vector<int> revisions;
    std::vector<std::string> reasons;
    std::set<GroupId> refused;  // of those
  };

  void Bind(const std::vector<queue::Job>& jobs, cluster::Time now);
  std::vector<BindGroup> Read(const std::vector<queue::Job>& jobs);
  void Check(BindGroup& group) const;
  void CheckTopology(BindGroup& group) const;
  // A group waits whole as long as a claim of one of its pods has no volume.
  void CheckClaims(BindGroup& group, cluster::Time now);
  // Tells the claims that do not know it yet of their nodes.
  void AnnounceNodes(std::vector<BindGroup>& groups);
  void CheckRoom(std::vector<BindGroup>& groups);
  // Once the versions that the bindings will name have been read: a group that
  // was held or changed since is left alone. Intake raises the revision before
  // it touches the pods, so a binding that passes here and comes late
  // conflicts. Versions that were read together with the revision need no
  // other look.
  void Confirm(std::vector<BindGroup>& groups);
  bool StillAllocated(const BindGroup& group);
  bool OthersMayPost(const BindGroup& group) const;
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
  // `whole`: the groups that were recorded as bound, as they had been read.
  void TellOwnBindings(const std::vector<BindGroup>& groups,
                       const std::set<GroupId>& whole);
  void Announce(const std::vector<BindGroup>& groups, cluster::Time now);

  sql::Pool& pool_;
  queue::WorkQueue& jobs_;
  queue::Lessee leased_;
  cluster::Cluster& cluster_;
  const cluster::ClusterCache& cache_;
  const Options options_;
  BindClaims claims_;
  const std::chrono::steady_clock::time_point started_;
  std::int64_t broken_ = 0;         // connections, before the lease
  int limit_;                       // groups at once
  std::vector<std::string> begun_;  // what own_bindings holds as under way
};

}  // namespace fluxnetes::workers
