// Releases the allocations of pods that have ended, deletes the pods of groups
// that must end, and writes the history. Groups reach it by `cleanup` jobs (a
// pod ended, or the group is cancelled), when their deadline passes, or when a
// place held for a replacement was not taken in time.
//
//   pod succeeded            ─▶ its place is freed at once
//   pod failed or deleted,
//     its controller may     ─▶ its place is held for the queue's
//     replace it                replacement_hold, while a replacement is still
//                               possible; the controller is read again now and
//                               then, since a Kubernetes Job fails a moment
//                               after its last pod
//     else                   ─▶ its place is freed at once
//   deadline, cancellation   ─▶ the Kubernetes Job, the pods or the topmost
//                               owner are deleted (queues.deadline_action);
//                               places are freed when the pods are gone
//   evicted for a            ─▶ its pods get a condition and are deleted; their
//     waiting group             controllers are not, so that they make new pods
//   no pod lives and no      ─▶ its row in group_history is written, and its
//     place is held             other rows are deleted
//
// After an interruption everything is found in the rows again: a second
// deletion is harmless, and each release notifies the owner of the match by a
// row written in the same transaction. A deletion that the API server refuses
// is retried without end and delays nothing else.
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
#include "queue/clients/batch_lease.h"
#include "queue/store/work_queue.h"
#include "sql/connection/pool.h"
#include "sql/connection/result.h"

namespace fluxnetes::workers {

class Cleanup {
 public:
  struct Options {
    int batch = 500;                         // jobs at once
    std::chrono::seconds delete_again{10};   // if pods still exist
    std::chrono::milliseconds retry{1'000};  // when the cluster is unreachable
    // The delay before a controller for which places are held is read again; it
    // doubles each time.
    std::chrono::milliseconds ask_again{500};
    // Called with an object that the cluster refuses to delete, and the reason.
    std::function<void(const std::string&)> on_refused = nullptr;
  };

  Cleanup(sql::Pool& pool, queue::WorkQueue& jobs, const queue::Client& client,
          cluster::Cluster& cluster, Options options);

  // Runs one batch. Returns true if there is more to do at once.
  bool RunOnce(cluster::Time now);

 private:
  // The work of one run: from a batch of jobs, and from deadlines that have
  // passed.
  struct Work {
    std::set<std::int64_t> groups;
    std::set<std::int64_t> to_delete;
    std::vector<std::string> filling_namespaces, filling_names;
    std::vector<queue::JobResult> results;
    std::vector<std::int64_t> group_of;  // by result; 0: provisional
    std::set<std::int64_t> refused;      // groups that cannot be deleted now
    // Evicted groups whose pods lack the condition.
    std::set<std::int64_t> untold;
    std::set<std::int64_t> told;  // evicted groups whose event was recorded
    // UIDs of controllers that may still replace.
    std::vector<std::string> replacing;
    std::vector<std::string> forsaken;  // UIDs of controllers that no longer do
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
  // Returns false if the deletion of its owner was refused before in this run.
  bool DeleteFor(const sql::Row& row);
  void AskOwners(Work& work, cluster::Time now);
  void AskOwnersAgain(Work& work, cluster::Time now);
  static void CancelGrowth(sql::Transaction& transaction, const Work& work,
                           std::vector<queue::NewJob>& next);
  void Settle(const Work& work, cluster::Time now);

  sql::Pool& pool_;
  queue::WorkQueue& jobs_;
  queue::BatchLease leased_;
  cluster::Cluster& cluster_;
  const Options options_;
  // When the deletion of each overdue group was last requested.
  std::map<std::int64_t, cluster::Time> asked_;
  // When to read the controllers again for whose pods places are held, by UID.
  std::map<std::string, Pace> paces_;
  // The controllers to delete in this run, by UID: whether the deletion was
  // accepted.
  std::map<std::string, bool> deleted_;
  std::set<std::string> refused_owners_;
};

}  // namespace fluxnetes::workers
