// One replica's part in the match: it owns some components, the queues that
// share nodes (partition.h), and has a match worker for each, which it runs in
// turn. The components are spread evenly over the living replicas by a rule
// that all of them apply to the same rows (component_share.h); so a component
// whose owner died is taken over by who has least, and none is fought for.
//
// Each replica finds the components from the nodes that it sees. When labels or
// node selectors change so that components merge or split, an owner gives the
// old ones up as soon as it sees it, and the new ones are taken over once all
// their queues are free. Until all have seen it nothing is placed twice, since
// terms and the claims of nodes (match_store.h) are checked with each write.
//
// RunOnce() from one thread; Look() from any. Throws what the workers throw,
// after all have run.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/cluster_cache.h"
#include "queue/clients/client.h"
#include "queue/store/work_queue.h"
#include "sql/connection/pool.h"
#include "workers/loops/differences.h"
#include "workers/match/match_worker.h"
#include "workers/match/node_table.h"
#include "workers/match/partition.h"
#include "workers/store/match_store.h"

namespace fluxnetes::workers {

class MatchReplica {
 public:
  struct Options {
    std::string scheduler_name = "fluxnetes";
    MatchWorker::Options worker = {};
    // How often it is looked who owns what, if nobody says that it changed.
    std::chrono::milliseconds look{500};
    // A component that is free for so long is taken by whoever sees it, though
    // it is another's turn.
    std::chrono::milliseconds patience{2'000};
    // Told when it begins and when it ceases to own a component, by its queues.
    std::function<void(const std::vector<std::string>&, bool owns)> on_owner =
        nullptr;
    // Told when something of a component that it owns has changed.
    std::function<void(const std::vector<std::string>&)> on_change = nullptr;
    Differences* differences = nullptr;  // null: nobody wants to know
  };

  MatchReplica(sql::Pool& pool, queue::WorkQueue& jobs,
               const queue::Client& client, cluster::ClusterCache& cache,
               Options options);
  ~MatchReplica();

  // A step of each worker; true if there is more to do at once.
  bool RunOnce(cluster::Time now);

  // Who owns what may have changed. Thread-safe.
  void Look() { look_ = true; }

  // Compares the graphs in memory with the records and the cluster with the
  // next runs; one that differs is loaded anew. Thread-safe.
  void Compare() { compare_ = true; }

  // Writes the table `nodes` if that is this replica's task and something has
  // changed; seldom, it is for people.
  void ReportNodes(cluster::Time now);

  // When it must run again though nothing happens: MatchWorker::NextDue().
  std::optional<matcher::Time> NextDue() const;

  // Gives everything back: a clean stop.
  void Stop();

  // For tests: the queues of each component that it owns, with the picture of
  // what is held there.
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
  bool LookAround();  // whether it has taken or left any
  void Divide(const std::map<std::string, std::int64_t>& owners);
  bool IsPatienceOver(const Component& component, bool is_free);
  void Take(const Component& component);
  void Leave(const Component& component);
  void ForgetEverything();
  bool RunWorkers(cluster::Time now);
  void CompareSome();  // those of to_compare_

  sql::Pool& pool_;
  queue::WorkQueue& jobs_;
  const queue::Client& client_;
  cluster::ClusterCache& cache_;
  const Options options_;

  Partition partition_;
  NodeTable node_table_;
  std::map<Component, std::unique_ptr<Owned>> owned_;
  std::map<Component, Clock::time_point> free_since_;
  std::int64_t joined_as_ = 0;  // the client; 0: not among the replicas
  bool all_nodes_ = true;       // are to be noted
  std::atomic<bool> look_{true};
  std::atomic<bool> compare_{false};
  std::map<Component, int> to_compare_;  // and how often they may be still
  Clock::time_point next_look_{};
  int moves_ = 0;  // components taken and left so far
};

}  // namespace fluxnetes::workers
