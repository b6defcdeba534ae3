// Groups that are bound in part and stay so: the rest of them finds no place
// beside those that are bound. (One that ran whole and lost a pod is left
// alone: its others may have worked for days.) After the time that their
// coscheduling PodGroup (scheduleTimeoutSeconds), else their queue
// (bind_timeout) allows, they start anew: bound members that a controller makes
// again are deleted; a bare pod gets an event instead.
//
// From one thread; several processes may do it. Throws sql::Error, and
// cluster::Unreachable; what is refused keeps no other object back.
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
  // With for how many milliseconds each may be bound in part.
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
