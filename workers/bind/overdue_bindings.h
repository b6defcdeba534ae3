// Starts groups anew that remain bound in part: the other members find no place
// beside the bound ones. (A group that ran whole and lost a pod is left alone:
// its other pods may have worked for days.) The time allowed is that of their
// coscheduling PodGroup (scheduleTimeoutSeconds), else that of their queue
// (bind_timeout). After it, bound members that a controller will make again are
// deleted; a bare pod gets an event instead.
//
// From one thread; several processes may do it. Throws sql::Error, and
// cluster::Unreachable; a refused deletion does not keep other objects back.
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/cluster.h"
#include "cluster/cluster_cache.h"
#include "sql/connection/pool.h"
#include "workers/decision/decision.h"

namespace fluxnetes::workers {

class OverdueBindings {
 public:
  OverdueBindings(sql::Pool& pool, cluster::Cluster& cluster,
                  const cluster::ClusterCache& cache);

  void GiveUp(cluster::Time now);

 private:
  // With the milliseconds for which each may be bound in part.
  struct Groups {
    std::vector<GroupId> ids;
    std::vector<std::int64_t> allowed;
  };

  Groups Read(cluster::Time now);

  sql::Pool& pool_;
  cluster::Cluster& cluster_;
  const cluster::ClusterCache& cache_;
};

}  // namespace fluxnetes::workers
