// Whether the cache shows what the cluster has: all pods and nodes are listed
// once more, beside the watch, and only their versions are kept. That is what
// finds a change that the watch has never told.
//
// A listing is newer than what the watch has told so far, so what differs is
// mostly on its way. It counts only if the watch has told of something that
// came after it, and it is still so by a second listing begun after that:
//
//   idle ─▶ first listing ─▶ something differs: wait for the watch ─▶
//     second listing ─▶ what differs as before is missed
//
// So in a cluster in which nothing else happens to a pod, or a node, a missed
// change of one is found only later.
//
// A listing of 100,000 pods costs the API server what any watcher's first list
// does, from its cache, and us the decoding of it (docs/failures.md).
//
// One thread. What the cluster throws comes through.
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
    int events = 10'000;                         // at once
    std::chrono::milliseconds watch_timeout{0};  // for the next of them
    std::chrono::seconds patience{600};  // a node says it is well in 300
  };
  // What the watch has missed, by name.
  struct Missed {
    std::vector<std::string> pods, nodes;
    bool Any() const { return !pods.empty() || !nodes.empty(); }
  };

  // `intake` keeps the cache.
  ListingCheck(cluster::Cluster& cluster, const cluster::ClusterCache& cache,
               const Intake& intake, Options options)
      : cluster_(cluster), cache_(cache), intake_(intake), options_(options) {}

  // Begins, unless it is under way.
  void Begin(cluster::Time now);
  bool IsUnderWay() const { return state_ != State::kIdle; }
  // There may be more of a listing at once: that of a cluster that is away
  // comes when it comes.
  bool ReadsOn() const { return watch_ != nullptr && reads_on_; }

  // One step; what it found, with the last one.
  Missed RunOnce(cluster::Time now);

 private:
  enum class State { kIdle, kFirst, kWaiting, kSecond };
  using Versions = std::unordered_map<std::string, std::uint64_t>;

  // What is listed of a kind: by UID (of nodes by name).
  struct Listing {
    Versions versions;
    std::uint64_t newest = 0;  // of them
  };
  // Told by the watch up to `version`, and still not as listed.
  struct Suspect {
    cluster::WatchedKind kind;
    std::string key;
    std::string name;
    std::uint64_t version;  // that the cache lacks; gone: newest listed
    bool gone;              // the cache has what is there no more
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
  bool reads_on_ = false;  // the last look at it brought something
  Listing pods_, nodes_;
  std::unordered_map<std::string, std::string> pod_names_;  // of unknown ones
  std::vector<Suspect> suspects_;
};

}  // namespace fluxnetes::workers
