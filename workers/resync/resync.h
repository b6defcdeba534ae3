// The full comparison of the cluster, the records and the graph in memory: at
// the start, after each list of the cluster, and every few minutes. Each
// difference is repaired as if its event had arrived, and noted
// (differences.h). A healthy system has none.
//
//   cluster ─ cache      listing_check.h     repaired by a new list
//   cache ─ pods' rows   Intake              repaired as an event is recorded
//   rows ─ rows          here: find_* of     counted again, or given the job
//                        resync.sql          that the group lacks
//   rows, cache ─ graph  MatchReplica        repaired by a new load
//
// Changes in progress differ too. So rows are compared with each other within
// one statement, and a pod only if no event of it waits to be recorded; the
// cache and the graph are wrong if they differ alike in two comparisons, with
// the changes that arrived in between applied.
//
// RunOnce() from one thread, in every process; the records are compared in the
// process whose intake leads. Throws sql::Error and the exceptions of the
// cluster.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "cluster/cluster.h"
#include "queue/store/work_queue.h"
#include "sql/connection/pool.h"
#include "workers/intake/intake.h"
#include "workers/loops/differences.h"
#include "workers/match/match_replica.h"
#include "workers/resync/listing_check.h"

namespace fluxnetes::workers {

class Resync {
 public:
  struct Options {
    std::chrono::milliseconds interval{300'000};  // 0: only on request
    ListingCheck::Options listing = {};
  };

  Resync(sql::Pool& pool, queue::WorkQueue& jobs, cluster::Cluster& cluster,
         const cluster::ClusterCache& cache, Intake& intake,
         MatchReplica& match, Differences& differences, Options options);

  // Runs one step. Returns true if there is more to do at once.
  bool RunOnce(cluster::Time now);

  // Requests a full comparison in the next run. Thread-safe.
  void CompareEverything() { asked_ = true; }
  // Notes that the cluster was listed and intake compares the pods: the next
  // run compares the rest. Thread-safe.
  void Listed() { listed_ = true; }

 private:
  using Names = std::vector<std::string>;
  // Groups that lack a job, by columns.
  struct Forgotten {
    std::vector<std::int64_t> ids;
    std::vector<std::string> queues;
    std::vector<int> revisions;
    Names names, work;
  };

  bool IsDue(cluster::Time now);
  void CompareRecords(cluster::Time now);
  Names RecountGroups(cluster::Time now);
  Forgotten FindForgotten(sql::Transaction& transaction);
  Names GiveJobs();
  Names ReleaseLeaked();

  sql::Pool& pool_;
  queue::WorkQueue& jobs_;
  const cluster::ClusterCache& cache_;
  Intake& intake_;
  MatchReplica& match_;
  Differences& differences_;
  const Options options_;
  ListingCheck listing_;
  std::atomic<bool> asked_{false};
  std::atomic<bool> listed_{false};
  cluster::Time next_{};  // zero: it has not run yet
};

}  // namespace fluxnetes::workers
