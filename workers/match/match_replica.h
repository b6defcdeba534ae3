// One replica's part in the match. It owns some components, the queues that
// share nodes (partition.h), and runs a match worker for each in turn. The
// components are spread evenly over the living replicas by a rule that all of
// them apply to the same rows (component_share.h). So a component whose owner
// died is taken over by the replica that owns the fewest, without contention.
//
// Each replica derives the components from the nodes that it sees. When labels
// or node selectors change so that components merge or split, an owner gives up
// the old components as soon as it sees the change, and the new ones are taken
// over once all their queues are free. Nothing is placed twice in the meantime,
// since terms and the claims of nodes (match_store.h) are checked with each
// write.
//
// RunOnce() from one thread; Look() from any. Throws the exceptions of the
// workers, after all of them have run.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/cluster_cache.h"
#include "cluster/scheduler_names.h"
#include "queue/clients/client.h"
#include "queue/clients/handover.h"
#include "queue/store/work_queue.h"
#include "sql/connection/pool.h"
#include "workers/loops/differences.h"
#include "workers/match/match_worker.h"
#include "workers/match/node_reporter.h"
#include "workers/match/partition.h"
#include "workers/store/match_store.h"

namespace fluxnetes::workers {

class MatchReplica {
 public:
  struct Options {
    cluster::SchedulerNames schedulers{};
    MatchWorker::Options worker = {};
    // How often the owners are read if no notification came.
    std::chrono::milliseconds look{500};
    // After this time any replica takes a free component, even if another one
    // should.
    std::chrono::milliseconds patience{2'000};
    // Called with the queues of a component when the replica starts or stops
    // owning it.
    std::function<void(const std::vector<std::string>&, bool owns)> on_owner =
        nullptr;
    // Called with the queues of an owned component when something in it has
    // changed.
    std::function<void(const std::vector<std::string>&)> on_change = nullptr;
    Differences* differences = nullptr;  // null: not collected
    // From intake and to the binders of this process, if set.
    queue::Handover* handover = nullptr;
  };

  MatchReplica(sql::Pool& pool, queue::WorkQueue& jobs,
               const queue::Client& client, cluster::ClusterCache& cache,
               Options options);
  ~MatchReplica();

  // Runs a step of each worker. Returns true if there is more to do at once.
  bool RunOnce(cluster::Time now);

  // Notes that owners may have changed. Thread-safe.
  void Look() { look_ = true; }

  // Compares the graphs in memory with the records and the cluster in the next
  // runs; a graph that differs is loaded again. Thread-safe.
  void Compare() { compare_ = true; }

  // Writes the table `nodes`, which is for people, if that is this replica's
  // task and something has changed. Call it seldom.
  void ReportNodes(cluster::Time now);

  // The time at which it must run even without an event:
  // MatchWorker::NextDue().
  std::optional<matcher::Time> NextDue() const;

  // Gives up all components: a clean stop.
  void Stop();

  // For tests: the queues of each owned component, with
  // MatchWorker::Describe().
  std::map<Partition::Component, std::string> Describe() const;

 private:
  using Clock = std::chrono::steady_clock;
  using Component = Partition::Component;

  struct Owned {
    Owned(MatchReplica& replica, const Component& queues);
    PostgresMatchStore store;
    MatchWorker worker;
  };

  void NoteNodes();
  bool IsDueToLook();
  bool LookAround();  // returns true if it has taken or left any
  void Divide(const std::map<std::string, std::int64_t>& owners);
  bool IsPatienceOver(const Component& component, bool is_free);
  void Take(const Component& component);
  void Leave(const Component& component);
  void ForgetEverything();
  bool RunWorkers(cluster::Time now);
  void CompareSome();  // one of to_compare_

  sql::Pool& pool_;
  queue::WorkQueue& jobs_;
  const queue::Client& client_;
  cluster::ClusterCache& cache_;
  const Options options_;

  Partition partition_;
  NodeReporter node_reporter_;
  std::map<Component, std::unique_ptr<Owned>> owned_;
  std::map<Component, Clock::time_point> free_since_;
  std::int64_t joined_as_ = 0;  // client id; 0: not among the replicas
  bool all_nodes_ = true;       // all nodes must be noted
  std::atomic<bool> look_{true};
  std::atomic<bool> compare_{false};
  std::map<Component, int> to_compare_;  // with the comparisons left
  Clock::time_point next_look_{};
  int moves_ = 0;  // components taken and left so far
};

}  // namespace fluxnetes::workers
