// Checks that the cache shows what the cluster has: it lists all pods and nodes
// once more, beside the watch, and keeps only their versions. This finds
// changes that the watch has missed.
//
// A listing is newer than the progress of the watch, so most differences are
// just not delivered yet. A difference counts only if the watch has delivered
// something later, and a second listing, begun after that, still shows it:
//
//   idle ─▶ first listing ─▶ something differs: wait for the watch ─▶
//     second listing ─▶ what differs as before is missed
//
// So in a cluster where no other pod (or node) changes, a missed change is
// found only later.
//
// A listing of 100,000 pods costs the API server as much as the first list of
// any watcher, from its cache, and this process the decoding
// (docs/failures.md).
//
// Owned by one thread. Exceptions of the cluster pass through.
// Tests: tests/workers/resync/resync_pgtest.cc.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "cluster/cluster.h"
#include "cluster/cluster_cache.h"
#include "workers/intake/intake.h"

namespace fluxnetes::workers {

class ListingCheck {
 public:
  struct Options {
    int events = 10'000;                         // read at once
    std::chrono::milliseconds watch_timeout{0};  // for the next events
    std::chrono::seconds patience{600};  // nodes report their status every 300
  };
  // Objects whose changes the watch has missed, by name.
  struct Missed {
    std::vector<std::string> pods, nodes;
    bool Any() const { return !pods.empty() || !nodes.empty(); }
  };

  // `intake` keeps the cache up to date.
  ListingCheck(cluster::Cluster& cluster, const cluster::ClusterCache& cache,
               const Intake& intake, Options options)
      : cluster_(cluster), cache_(cache), intake_(intake), options_(options) {}

  // Begins a check, unless one is under way.
  void Begin(cluster::Time now);
  bool IsUnderWay() const { return state_ != State::kIdle; }
  // True if more of a listing may be available at once. False while an
  // unreachable cluster is awaited.
  bool ReadsOn() const { return watch_ != nullptr && reads_on_; }

  // Runs one step. The last step returns the missed objects.
  Missed RunOnce(cluster::Time now);

 private:
  enum class State { kIdle, kFirst, kWaiting, kSecond };
  using Versions = std::unordered_map<std::string, std::uint64_t>;

  // The listed objects of one kind: pods by UID, nodes by name.
  struct Listing {
    Versions versions;
    std::uint64_t newest = 0;  // of them
  };
  // A difference: the watch has reached `version`, and the cache still differs.
  struct Suspect {
    cluster::WatchedKind kind;
    std::string key;
    std::string name;
    // The version that the cache lacks; if `gone`: the newest listed one.
    std::uint64_t version;
    bool gone;  // the cache has an object that no longer exists
  };

  void List();
  bool ReadOn();  // true at the end of the listing
  void FindSuspects();
  void SuspectOf(cluster::WatchedKind kind, const std::string& key,
                 const std::string& name, std::uint64_t version, bool gone);
  std::uint64_t CachedVersion(cluster::WatchedKind kind,
                              const std::string& key) const;  // 0: none
  bool StillDiffers(const Suspect& suspect) const;
  bool IsTold(const Suspect& suspect) const;
  static void Keep(Listing& listing, const std::string& key,
                   const std::string& version);
  Missed Confirm() const;
  void Stop();

  cluster::Cluster& cluster_;
  const cluster::ClusterCache& cache_;
  const Intake& intake_;
  const Options options_;

  State state_ = State::kIdle;
  cluster::Time give_up_at_{};
  std::unique_ptr<cluster::Watch> watch_;
  bool reads_on_ = false;  // the last read of the listing returned events
  Listing pods_, nodes_;
  // The names of pods that are not in the cache.
  std::unordered_map<std::string, std::string> pod_names_;
  std::vector<Suspect> suspects_;
};

}  // namespace fluxnetes::workers
