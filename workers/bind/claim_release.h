// Gives back the devices of claims that nobody is going to use: a binder has
// written them for a pod of ours, and the pod lost its place before it was
// bound, or got another one. (Kubernetes' controllers give back those of pods
// that have ended or are gone.)
//
// A placement is the reason for an allocation: a claim keeps its devices while
// each waiting pod that it is reserved for has a placement with just these. The
// groups of the pods are locked meanwhile, so no placement is committed between
// the look and the release, and no binder begins with a claim that is about to
// be released. So it does not matter at which step a binder was killed.
//
// It looks only at allocated claims that pods without a node name, of which
// there are none when nothing is being bound.
//
// Any number of replicas may run it at once. RunOnce() from one thread. Throws
// sql::Error and cluster::Unreachable.
// Tests: tests/workers/bind/claim_release_pgtest.cc.
#pragma once

#include <string>
#include <vector>

#include "cluster/cluster.h"
#include "cluster/cluster_cache.h"
#include "cluster/scheduler_names.h"
#include "sql/connection/pool.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::workers {

class ClaimRelease {
 public:
  ClaimRelease(sql::Pool& pool, cluster::Cluster& cluster,
               const cluster::ClusterCache& cache,
               cluster::SchedulerNames schedulers);

  // Returns how many claims it released.
  int RunOnce();

 private:
  // A claim and one of our waiting pods that it is reserved for.
  struct Use {
    cluster::ResourceClaimPointer claim;
    cluster::PodPointer pod;
  };

  std::vector<Use> Find() const;
  std::vector<cluster::ClaimRelease> Unplaced(
      sql::Transaction& transaction, const std::vector<Use>& uses) const;

  sql::Pool& pool_;
  cluster::Cluster& cluster_;
  const cluster::ClusterCache& cache_;
  const cluster::SchedulerNames schedulers_;
};

}  // namespace fluxnetes::workers
