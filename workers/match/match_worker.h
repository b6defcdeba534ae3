// Places the waiting groups of one component, the queues that share nodes:
// leases their match jobs, keeps the groups and the resource graph in memory
// (schedule.h), decides, and commits each decision in one transaction
// (match_store.h).
//
// It works only as the owner of the component. Ownership is fenced by terms: a
// worker that lost it commits nothing and drops its state. It uses the nodes
// that its queues select once the store has claimed them, and gives up nodes
// that they no longer select. Allocations of groups of other components on its
// nodes are charged to these groups until their pods are seen on the node, and
// then like any pod of others.
//
// RunOnce() from one thread. Throws the exceptions of the store; the next call
// then starts with a fresh load.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cluster/cluster_cache.h"
#include "sql/durations.h"
#include "workers/decision/maintenance_windows.h"
#include "workers/gates/external_pods.h"
#include "workers/gates/scheduling_gates.h"
#include "workers/schedule/schedule.h"
#include "workers/store/match_store.h"

namespace fluxnetes::workers {

// How long scheduling cycles of one or more workers took, for metrics. Empty
// decisions are not committed.
struct CycleTimes {
  sql::Durations decisions;
  sql::Durations commits;
};

class MatchWorker {
 public:
  using Names = std::vector<std::string>;

  struct Options {
    // Limit of placements in one transaction, and of groups that become due in
    // one step.
    int batch = 1'000;
    // True for a forecast in virtual time: no reasons are computed, and nodes
    // and their use by others stay as they were at the load.
    bool ahead = false;
    // Called after each commit with the decision and the time that decision and
    // commit took. Nothing else wakes the binders.
    std::function<void(const Decision&, std::chrono::microseconds)>
        on_decision = nullptr;
    CycleTimes* times = nullptr;  // null: not measured
  };

  MatchWorker(MatchStore& store, const cluster::ClusterCache& cache,
              Options options);

  // Notes that these nodes, or their use, have changed in the cache.
  void NoteNodes(const std::vector<std::string>& names);

  // Notes that these claims have changed: ClusterCache::TakeChangedClaims().
  void NoteClaims(const std::vector<std::string>& claims);

  // Takes what has changed about devices: ClusterCache::TakeChangedDevices().
  void TakeDevices(const cluster::ChangedDevices& changed);

  // Notes that nodes of other components may be free now.
  void ClaimAgain() { claim_again_ = true; }

  // Runs one step. Returns true if there is more to do at once.
  bool RunOnce(cluster::Time now);

  // Compares the graph in memory with the records and the cluster, by loading
  // these into another graph: it costs as much as a takeover. A difference may
  // be a change not applied yet; the same difference in two calls, with a run
  // between them, is a fault.
  struct Comparison {
    bool again = false;   // something differs: call again after a run
    Names nodes, places;  // nodes; nodes whose allocations differ
    bool Faulty() const { return !nodes.empty() || !places.empty(); }
  };
  Comparison Compare();
  // Drops the state in memory: the next run loads it again.
  void LoadAgain() { Forget(); }

  // True once it has loaded its component.
  bool Loaded() const { return schedule_ != nullptr; }

  // Returns true if its state has changed since the last call.
  bool TakeChanged() { return std::exchange(changed_, false); }

  // True if it owns the component, or has not tried yet.
  bool owns() const { return owns_; }

  // The time at which it must run even without an event: the start of a
  // reservation, of a group with a start time, or of maintenance. It is later
  // than the last run: work that was due then and could not be done waits for
  // an event.
  std::optional<matcher::Time> NextDue() const;

  // The pending order, as Schedule::InOrder(); empty while it is not the owner.
  std::vector<GroupId> InOrder(std::size_t limit);

  // Gives up ownership and leases: a clean stop.
  void Stop();

  // Describes all allocations in memory, for the invariant that memory equals a
  // rebuilt graph; empty while it is not the owner.
  std::string Describe() const;

 private:
  void Forget();
  void Load();
  void Apply(const MatchStore::News& news);
  void SetQueues(const std::vector<QueueSettings>& queues);
  void ApplyHoldersOfOthers(const std::vector<Held>& held);
  void NoteNodesOf(const Held& held);
  void Charge(const Held& holder);
  bool IsSeen(const PlacedMember& member) const;
  void ApplyNodes();
  void ApplyNode(const std::string& name);
  void DropNode(const std::string& name);
  void CloseNodes();
  void Claim();
  void ApplyUnmanaged(const cluster::Node& node);
  // These use the labels of placed and waiting pods that rules look at.
  void Restore(Held held);
  void Add(PendingGroup group);
  void AddToSchedule(PendingGroup group);
  void LookAtNamespaces();
  void LoadDevices();
  void LookAtNewSelectors();
  bool DecideAndCommit(cluster::Time now);

  MatchStore& store_;
  const cluster::ClusterCache& cache_;
  const Options options_;

  bool owns_ = true;
  bool acquired_ = false;
  bool changed_ = false;
  std::unique_ptr<Schedule> schedule_;  // null: not loaded
  // Set once every waiting group has been read; until then nothing starts, so
  // that no group overtakes one that is not read yet.
  bool whole_ = false;
  std::map<std::string, QueueSettings> queues_;
  std::unordered_map<std::string, cluster::Node>
      known_;                    // nodes in the schedule
  std::set<std::string> noted_;  // nodes that have changed
  std::set<std::string> claimed_;
  std::set<std::string> wanted_;  // nodes claimed by other components
  bool claim_again_ = false;
  std::uint64_t namespaces_ = 0;  // version of the namespaces in the cache
  MaintenanceWindows maintenance_;
  SchedulingGates gates_;
  matcher::Time now_ = 0;  // time of this run
  ExternalPods external_pods_;
  // Allocations of groups of other components on claimed nodes.
  std::map<GroupId, Held> others_;
  std::map<GroupId, Held> charged_;  // the part of them charged in the schedule
  // Nodes that differed at the last comparison, as they are in memory and as
  // they should be.
  std::map<std::string, std::pair<std::string, std::string>> suspects_;
};

}  // namespace fluxnetes::workers
