// Finds places for the groups that wait: leases their match jobs, keeps them
// with the resource graph in memory (schedule.h), decides, and commits each
// decision in one transaction (match_store.h).
//
// It is the worker of one component, the queues that share nodes, and works
// only as its owner. Ownership is fenced by terms: a worker that lost it
// commits nothing and forgets what it knows. It uses the nodes that its queues
// select once the store has given them to it, and gives back those that they
// select no more. What groups of other components still hold there is charged:
// as theirs until their pods are seen on the node, then like any pod of others.
//
// RunOnce() from one thread. Throws what the store throws; the next call then
// starts from a fresh load.
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
#include "workers/gates/claim_line.h"
#include "workers/gates/external_pods.h"
#include "workers/gates/hold_line.h"
#include "workers/gates/pressing_line.h"
#include "workers/gates/room_line.h"
#include "workers/schedule/schedule.h"
#include "workers/store/match_store.h"

namespace fluxnetes::workers {

// How long scheduling cycles took, of one or more workers, for those who watch.
// A decision that has nothing to say is not committed.
struct CycleTimes {
  sql::Durations decisions;
  sql::Durations commits;
};

class MatchWorker {
 public:
  using Names = std::vector<std::string>;

  struct Options {
    // Placements in one transaction, and groups that become due in one step.
    int batch = 1'000;
    // It looks ahead, in a time to come, and nobody reads why groups wait:
    // nodes, and what others use of them, stay as they were at the load.
    bool ahead = false;
    // Told after each commit: what was placed or said, and how long the
    // decision and its commit took. Nobody else tells the binders.
    std::function<void(const Decision&, std::chrono::microseconds)>
        on_decision = nullptr;
    CycleTimes* times = nullptr;  // null: nobody wants to know
  };

  MatchWorker(MatchStore& store, const cluster::ClusterCache& cache,
              Options options);

  // These nodes, or what is used of them, have changed in the cache.
  void NoteNodes(const std::vector<std::string>& names);

  // These claims have changed there: TakeChangedClaims().
  void NoteClaims(const std::vector<std::string>& claims);

  // Nodes that others had may be free now.
  void ClaimAgain() { claim_again_ = true; }

  // One step; true if there is more to do at once.
  bool RunOnce(cluster::Time now);

  // Compares what is held in memory with what the records and the cluster say,
  // by loading that into another graph: it costs what a takeover costs. What
  // differs may be under way; what differs alike at two calls, with a run
  // between them, is a fault.
  struct Comparison {
    bool again = false;   // something differs: call it again after a run
    Names nodes, places;  // nodes that are faulty in this way, in order
    bool Faulty() const { return !nodes.empty() || !places.empty(); }
  };
  Comparison Compare();
  // Forgets what is in memory: the next run loads it anew.
  void LoadAgain() { Forget(); }

  // It has loaded what it owns.
  bool Loaded() const { return schedule_ != nullptr; }

  // Whether anything that it knows has changed since the last call.
  bool TakeChanged() { return std::exchange(changed_, false); }

  // It owns the component, or will know with the next step.
  bool owns() const { return owns_; }

  // When it must run again though nothing happens: a reservation is due, or
  // the time has come before which a group may not start, or that of
  // maintenance. After the time of the last run: what was due then and could
  // not be done waits for something to happen.
  std::optional<matcher::Time> NextDue() const;

  // Who waits, as Schedule::InOrder(); nobody while it is not the owner.
  std::vector<GroupId> InOrder(std::size_t limit);

  // Gives up ownership and leases: a clean stop.
  void Stop();

  // The picture of what is held, for the invariant that memory equals what is
  // rebuilt; empty while it is not the owner.
  std::string Describe() const;

 private:
  void Forget();
  void Load();
  void Apply(const MatchStore::News& news);
  void SetQueues(const std::vector<QueueSettings>& queues);
  void ApplyStrangers(const std::vector<Held>& held);
  void NoteNodesOf(const Held& held);
  void Charge(const Held& stranger);
  bool IsSeen(const PlacedMember& member) const;
  void ApplyNodes();
  void ApplyNode(const std::string& name);
  void DropNode(const std::string& name);
  void CloseNodes();
  void Claim();
  void ApplyForeign(const cluster::Node& node);
  // Placed and waiting pods, with the labels that rules look at.
  void Restore(Held held);
  void Add(PendingGroup group);
  void AddUnheld(PendingGroup group);
  void AddToSchedule(PendingGroup group);
  // Groups that are kept out of the schedule, or are to be.
  void LookAtKept();
  void LookAtNamespaces();
  void LookAtNewSelectors();
  bool DecideAndCommit(cluster::Time now);

  MatchStore& store_;
  const cluster::ClusterCache& cache_;
  const Options options_;

  bool owns_ = true;
  bool acquired_ = false;
  bool changed_ = false;
  std::unique_ptr<Schedule> schedule_;  // null: to be loaded
  // It has seen all who wait since the load: before that nobody starts, lest
  // it passes one who is before it or has been promised its place.
  bool whole_ = false;
  std::map<std::string, QueueSettings> queues_;
  std::unordered_map<std::string, cluster::Node>
      known_;                    // nodes in the schedule
  std::set<std::string> noted_;  // nodes that have changed
  std::set<std::string> claimed_;
  std::set<std::string> wanted_;  // nodes that others have
  bool claim_again_ = false;
  std::uint64_t namespaces_ = 0;  // their version in the cache
  MaintenanceWindows maintenance_;
  HoldLine hold_line_;          // groups that may not start at any time
  ClaimLine claim_line_;        // groups whose pods use claims
  RoomLine room_line_;          // groups that want more room than they use
  PressingLine pressing_line_;  // groups whose callers wait for the answer
  matcher::Time now_ = 0;       // of this run
  ExternalPods external_pods_;
  // What groups of other components hold, on claimed nodes.
  std::map<GroupId, Held> strangers_;
  std::map<GroupId, Held> charged_;  // those of them that are in the schedule
  // Of nodes that differed at the last comparison: how they look, in memory and
  // as they should be.
  std::map<std::string, std::pair<std::string, std::string>> suspects_;
};

}  // namespace fluxnetes::workers
