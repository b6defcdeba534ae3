// Keeps the status of PodGroups up to date (group_status.h): computes it from
// the pods in the cache, and writes it where the object differs.
//
// It keeps nothing in the database: the status follows from the cluster, so a
// new process writes what its predecessor left out and repeats nothing. A write
// names the version of the object that it was computed for, so that two writers
// do not undo each other's changes. A write that meets a conflict or is refused
// is retried with growing pauses. Changes within a second become one write, and
// bindings take precedence over all writes (binding_backpressure.h).
//
// Note() and NoteWhy() from any thread, RunOnce() from one. It throws
// cluster::Unreachable; the next call continues where it stopped.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "cluster/cluster.h"
#include "cluster/cluster_cache.h"
#include "sql/mutex.h"
#include "workers/loops/binding_backpressure.h"

namespace fluxnetes::workers {

class GroupStatuses {
 public:
  struct Options {
    std::size_t batch = 100;
    std::chrono::milliseconds patience{30'000};
    std::chrono::milliseconds first_pause{1'000};  // before a retry
    std::chrono::milliseconds longest_pause{600'000};
  };

  GroupStatuses(cluster::Cluster& cluster, const cluster::ClusterCache& cache,
                const BindingLedger& bindings, Options options)
      : cluster_(cluster),
        cache_(cache),
        options_(options),
        backpressure_(bindings, options.patience) {}

  // Notes that pods of this scheduler that name these groups, or the PodGroups
  // themselves, have changed.
  void Note(std::span<const cluster::PodGroupName> groups) EXCLUDES(mutex_);
  // Records why this pod, and so its group, cannot be placed.
  void NoteWhy(const std::string& uid, const std::string& why) EXCLUDES(mutex_);

  // Returns true if there is more to do at once.
  bool RunOnce(cluster::Time now);

 private:
  // A group whose status may have to be written.
  struct Noted {
    std::string why;         // empty: no reason is known
    cluster::Time due = {};  // not written before
    std::chrono::milliseconds pause{0};
  };
  // A status that was written and that the cache does not show yet.
  struct Written {
    std::string uid;
    std::string resource_version;
    cluster::PodGroupStatus status;
  };
  using Batch = std::map<cluster::PodGroupName, Noted>;

  Batch Take(cluster::Time now) EXCLUDES(mutex_);
  void PutBack(const Batch& batch) EXCLUDES(mutex_);
  // Returns nothing if the object has this status already, or does not exist.
  std::optional<cluster::PodGroupNews> NewsOf(const cluster::PodGroupName& name,
                                              const std::string& why);

  cluster::Cluster& cluster_;
  const cluster::ClusterCache& cache_;
  const Options options_;
  // Used by RunOnce() only.
  BindingBackpressure backpressure_;
  std::map<cluster::PodGroupName, Written> written_;

  sql::Mutex mutex_;
  Batch noted_ GUARDED_BY(mutex_);
};

}  // namespace fluxnetes::workers
