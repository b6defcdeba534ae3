// The full comparison of the cluster, the records and the graph in memory: at
// the start, after each list of the cluster, and every few minutes. Each
// difference is healed the way in which it would have been taken in had it been
// told, and noted (differences.h); in a healthy system there is none.
//
//   cluster ─ cache      listing_check.h     healed by listing again
//   cache ─ pods' rows   Intake              healed as an event is recorded
//   rows ─ rows          here: find_* of     counted again, or given the job
//                        resync.sql          that the group lacks
//   rows, cache ─ graph  MatchReplica        healed by loading it again
//
// What is under way differs too: so a row is compared with others within one
// statement, a pod only if no event of it waits to be recorded, and the cache
// and the graph are wrong when they are so at two looks with what was told
// between them taken in.
//
// RunOnce() from one thread, in every process; the records are compared where
// intake leads. Throws sql::Error and what the cluster throws.
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
    std::chrono::milliseconds interval{300'000};  // 0: never by itself
    ListingCheck::Options listing = {};
  };

  Resync(sql::Pool& pool, queue::WorkQueue& jobs, cluster::Cluster& cluster,
         const cluster::ClusterCache& cache, Intake& intake,
         MatchReplica& match, Differences& differences, Options options);

  // One step; true if there is more to do at once.
  bool RunOnce(cluster::Time now);

  // A full comparison comes with the next run. Thread-safe.
  void CompareEverything() { asked_ = true; }
  // The cluster has been listed, and intake compares the pods: the rest comes
  // with the next run. Thread-safe.
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
  cluster::Time next_{};  // nothing: it has not run yet
};

}  // namespace fluxnetes::workers
