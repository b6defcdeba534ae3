// Ends what is over. Groups come to it by `cleanup` jobs (a pod ended, or the
// group is to be cancelled), because their deadline has passed, or because a
// place that was held for a replacement was not taken in time.
//
//   pod succeeded            ─▶ its place is free at once
//   pod failed or deleted,
//     its controller may     ─▶ its place is held for the queue's
//     replace it                replacement_hold, as long as that makes sense;
//                               now and then the controller is asked again,
//                               since a Kubernetes Job fails a moment after its
//                               last pod
//     else                   ─▶ free at once
//   deadline, cancellation   ─▶ the Kubernetes Job, the pods or the topmost
//                               owner are deleted (queues.deadline_action);
//                               places are free when the pods are gone
//   evicted for a group      ─▶ its pods are told so and deleted, not what
//     that waits                makes them, so that they come again
//   nothing lives or is held ─▶ group_history, and its rows go
//
// Everything is found in the rows again if it was interrupted: deleting twice
// is harmless, and each release tells the owner of the match by a row of its
// own transaction. What the cluster refuses to delete is asked for again and
// again, and keeps nothing else back.
//
// RunOnce() from one thread; several may run at once. Throws sql::Error, and
// cluster::Unreachable after putting the jobs off.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cluster/cluster.h"
#include "queue/clients/lessee.h"
#include "queue/store/work_queue.h"
#include "sql/connection/pool.h"
#include "sql/connection/result.h"

namespace fluxnetes::workers {

class Cleanup {
 public:
  struct Options {
    int batch = 500;                         // jobs at once
    std::chrono::seconds delete_again{10};   // if pods are there still
    std::chrono::milliseconds retry{1'000};  // when the cluster is away
    // A controller for which places are held; then twice as long, and so on.
    std::chrono::milliseconds ask_again{500};
    // Told of an object that the cluster will not delete, and why.
    std::function<void(const std::string&)> on_refused = nullptr;
  };

  Cleanup(sql::Pool& pool, queue::WorkQueue& jobs, const queue::Client& client,
          cluster::Cluster& cluster, Options options);

  // One batch; true if there is more to do at once.
  bool RunOnce(cluster::Time now);

 private:
  // What a batch of jobs and the time ask for.
  struct Work {
    std::set<std::int64_t> groups;
    std::set<std::int64_t> to_delete;
    std::vector<std::string> filling_namespaces, filling_names;
    std::vector<queue::JobResult> results;
    std::vector<std::int64_t> group_of;  // of each result; 0: provisional
    std::set<std::int64_t> refused;      // groups that cannot be deleted now
    std::set<std::int64_t> untold;       // evicted ones that know nothing of it
    std::set<std::int64_t> told;         // and those that now have the event
    std::vector<std::string> replacing;  // UIDs of controllers that still may
    std::vector<std::string> forsaken;   // and of those for which we held
  };
  struct Pace {
    cluster::Time next;
    std::chrono::milliseconds interval;
  };

  Work Gather(const std::vector<queue::Job>& jobs, cluster::Time now);
  void GatherDue(Work& work, cluster::Time now);
  void DeleteObjects(Work& work, cluster::Time now);
  void TellEvicted(const sql::Result& members, Work& work, cluster::Time now);
  bool MayReplace(const cluster::ObjectName& owner);
  // False: the owner that controls it was refused before in this run.
  bool DeleteFor(const sql::Row& row);
  void AskOwners(Work& work, cluster::Time now);
  void AskOwnersAgain(Work& work, cluster::Time now);
  static void CancelGrowth(sql::Transaction& transaction, const Work& work,
                           std::vector<queue::NewJob>& next);
  void Settle(const Work& work, cluster::Time now);

  sql::Pool& pool_;
  queue::WorkQueue& jobs_;
  queue::Lessee leased_;
  cluster::Cluster& cluster_;
  const Options options_;
  // When the deletion of an overdue group was asked for last.
  std::map<std::int64_t, cluster::Time> asked_;
  // When to ask again for controllers whose pods' places are held, by UID.
  std::map<std::string, Pace> paces_;
  // Controllers that were to be deleted in this run, by UID, and the answer.
  std::map<std::string, bool> deleted_;
  std::set<std::string> refused_owners_;
};

}  // namespace fluxnetes::workers
