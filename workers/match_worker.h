// Finds places for the groups that wait: leases their match jobs, keeps them
// with the resource graph in memory (schedule.h), decides, and commits each
// decision in one transaction (match_store.h).
//
// Only the owner of the match works; the others stand by and take over when it
// is gone. Ownership is fenced by a term: a worker that lost it commits
// nothing, forgets what it knows, and loads anew if it comes back.
//
// RunOnce() from one thread. Throws what the store throws; the next call then
// starts from a fresh load.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "cluster/cluster_cache.h"
#include "queue/leadership.h"
#include "workers/match_store.h"
#include "workers/schedule.h"

namespace fluxnetes::workers {

class MatchWorker {
 public:
  struct Options {
    int batch = 1'000;  // placements in one transaction
    // Told after each commit: what was placed or said, and how long the
    // decision and its commit took.
    std::function<void(const Decision&, std::chrono::microseconds)> on_decision;
  };

  MatchWorker(MatchStore& store, queue::Leadership& leadership,
              const queue::Client& client, cluster::ClusterCache& cache,
              Options options);

  // One step; true if there is more to do at once.
  bool RunOnce(cluster::Time now);

  // Writes the table `nodes` if something changed; seldom, it is for people.
  void ReportNodes(cluster::Time now);

  // When it must run again though nothing happens: a reservation is due.
  std::optional<matcher::Time> NextDue() const;

  // Gives up ownership and leases: a clean stop.
  void Stop();

  // The picture of what is held, for the invariant that memory equals what is
  // rebuilt; empty while it is not the owner.
  std::string Describe() const;

 private:
  bool Own();
  void Forget();
  void Apply(const MatchStore::News& news, bool fresh);
  void ApplyNodes(bool all);
  void ApplyNode(const std::string& name);
  cluster::Resources ForeignOn(const cluster::Node& node) const;
  bool DecideAndCommit(cluster::Time now);

  MatchStore& store_;
  queue::Leadership& leadership_;
  const queue::Client& client_;
  cluster::ClusterCache& cache_;
  const Options options_;

  std::int64_t term_ = 0;  // 0: not the owner
  std::int64_t owner_client_ = 0;
  std::unique_ptr<Schedule> schedule_;  // null: to be loaded
  std::vector<std::string> queue_names_;
  std::unordered_map<std::string, NodeReport> reports_;  // what was written
  std::unordered_map<std::string, NodeReport> known_;
  bool reported_all_ = false;
};

}  // namespace fluxnetes::workers
