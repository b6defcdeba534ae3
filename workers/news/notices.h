// Tells users of their pods: leases `notice` jobs and makes of each an event on
// the pod and, where the job says so, its condition PodScheduled=False. Args:
//
//   {"namespace": N, "pod": P, "uid": U, "since": T, "reason": R,
//    "message": M, "condition": true}
//
// `since` is when the pod was created (seconds since 1970): since then the
// condition is so. A job that is done twice has one event.
//
// The event says FailedScheduling and the condition Unschedulable, as those of
// kube-scheduler do, unless the reason is another one (SchedulingGated).
//
// RunOnce() from one thread; several may run at once. Throws sql::Error, and
// cluster::Unreachable after putting the jobs off.
#pragma once

#include <chrono>

#include "cluster/cluster.h"
#include "queue/clients/lessee.h"
#include "queue/store/work_queue.h"

namespace fluxnetes::workers {

class Notices {
 public:
  struct Options {
    int batch = 200;
    std::chrono::milliseconds retry{1'000};  // when the cluster is away
  };

  Notices(queue::WorkQueue& jobs, const queue::Client& client,
          cluster::Cluster& cluster, Options options);

  // One batch; true if there is more to do at once.
  bool RunOnce();

 private:
  queue::WorkQueue& jobs_;
  queue::Lessee leased_;
  cluster::Cluster& cluster_;
  const Options options_;
};

}  // namespace fluxnetes::workers
