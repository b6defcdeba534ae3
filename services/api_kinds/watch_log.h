// The latest events of each kind that the API serves (served_kinds.h), in
// order, for its watches: a watch that names a version continues after it, as
// long as all later events are still kept. (Kubernetes: the watch cache.)
//
//   forgotten │ kept: v7 v9 v12 v13 │ to come
//             └ a version before it is too old (410 Gone)
//
// One thread follows the cluster's watch; Jobs, of which that does not tell
// all, are told by the cluster itself. Thread-safe.
//
// Tests: tests/services/simulated_api/cluster_api_test.cc.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "cluster/json/watch_line.h"
#include "cluster/simulated/simulated_cluster.h"
#include "services/api_kinds/served_kinds.h"
#include "sql/condition_variable.h"
#include "sql/mutex.h"

namespace fluxnetes::services {

class WatchLog {
 public:
  struct Entry {
    enum class Type { kAdded, kModified, kDeleted };
    Type type = Type::kAdded;
    std::uint64_t version = 0;
    ServedObject object;
  };

  // The result of a read. `lost`: unread entries were dropped.
  struct Batch {
    std::vector<Entry> entries;
    bool lost = false;
    bool closed = false;
  };

  WatchLog(cluster::SimulatedCluster& cluster, int entries_kept);
  ~WatchLog();

  // Returns once the log has begun.
  void Start();
  // Tells readers that the log is closed. Stopping twice is fine.
  void Stop() EXCLUDES(mutex_);

  // Returns the position after this version; nullopt if it is too old.
  std::optional<std::uint64_t> PlaceBehind(cluster::WatchedKind kind,
                                           std::uint64_t version) const
      EXCLUDES(mutex_);
  // Returns at most `limit` entries from `place` on, and moves it past them;
  // waits for the first one.
  Batch Read(cluster::WatchedKind kind, std::uint64_t& place, int limit,
             std::chrono::milliseconds timeout) const EXCLUDES(mutex_);
  // Returns the oldest version that is not too old.
  std::uint64_t OldestVersion(cluster::WatchedKind kind) const EXCLUDES(mutex_);

 private:
  struct Track {  // of one kind
    std::deque<Entry> entries;
    std::uint64_t first_place = 0;  // the position of entries.front()
    std::uint64_t forgotten = 0;    // the highest version dropped
  };

  void FollowJobs() EXCLUDES(mutex_);
  void NoteJob(const cluster::KubernetesJobStatus& job, bool deleted)
      EXCLUDES(mutex_);
  void Follow() EXCLUDES(mutex_);
  void Apply(const cluster::WatchEvent& event) EXCLUDES(mutex_);
  void Append(const cluster::WatchEvent& event, ServedObject object)
      EXCLUDES(mutex_);
  void Push(cluster::WatchedKind kind, Entry entry) REQUIRES(mutex_);
  void Forget() EXCLUDES(mutex_);
  Track& TrackOf(cluster::WatchedKind kind) REQUIRES(mutex_);
  const Track& TrackOf(cluster::WatchedKind kind) const REQUIRES(mutex_);

  cluster::SimulatedCluster& cluster_;
  const std::size_t entries_kept_;

  mutable sql::Mutex mutex_;
  mutable sql::ConditionVariable changed_;
  // By WatchedKind.
  std::array<Track, cluster::kServedKinds> tracks_ GUARDED_BY(mutex_);
  std::unordered_set<std::string> known_jobs_ GUARDED_BY(mutex_);  // UIDs
  bool closed_ GUARDED_BY(mutex_) = false;

  // Used by the following thread only.
  std::unique_ptr<cluster::Watch> watch_;
  std::unordered_set<std::string> known_;  // keys of ServedName
  bool listing_ = false;
  bool begun_ = false;

  std::thread thread_;
};

// Returns a Kubernetes version as a number; 0 if it is none.
std::uint64_t VersionNumber(const std::string& version);

}  // namespace fluxnetes::services
