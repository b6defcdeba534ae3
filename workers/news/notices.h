// Reports events to users: leases `notice` jobs and makes of each an event on
// the pod, unless `event` is false, and, if `condition` is true, the condition
// PodScheduled=False. Args:
//
//   {"namespace": N, "pod": P, "uid": U, "since": T, "reason": R,
//    "message": M, "event": true, "condition": true}
//
// `since` is when the pod was created (seconds since 1970), and becomes the
// condition's transition time. A job that is run twice makes one event.
//
// The event's reason is FailedScheduling and the condition's Unschedulable, as
// kube-scheduler writes them, unless the job has another reason
// (SchedulingGated).
//
// RunOnce() from one thread; several may run at once. Throws sql::Error, and
// cluster::Unreachable after putting the jobs off.
#pragma once

#include <chrono>

#include "cluster/cluster.h"
#include "queue/clients/batch_lease.h"
#include "queue/store/work_queue.h"

namespace fluxnetes::workers {

class Notices {
 public:
  struct Options {
    int batch = 200;
    std::chrono::milliseconds retry{1'000};  // when the cluster is unreachable
  };

  Notices(queue::WorkQueue& jobs, const queue::Client& client,
          cluster::Cluster& cluster, Options options);

  // Runs one batch. Returns true if there is more to do at once.
  bool RunOnce();

 private:
  queue::WorkQueue& jobs_;
  queue::BatchLease leased_;
  cluster::Cluster& cluster_;
  const Options options_;
};

}  // namespace fluxnetes::workers
