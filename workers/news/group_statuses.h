// Keeps the status of PodGroups as it should be (group_status.h): makes it of
// the pods in the cache, and writes it where the object says otherwise.
//
// Nothing of it is in the database: what is to be written follows from what the
// cluster shows, so a new process writes what a former one left out, and
// nothing that it has written. A write names the version of the object that it
// was made for, so that two who write do not take back what the other has said;
// what meets a conflict, or is refused, is tried again, less and less often.
// Changes that come within a second are written as one, and all of it stands
// behind bindings (behind_bindings.h).
//
// Note() and NoteWhy() from any thread, RunOnce() from one. It throws
// cluster::Unreachable, and goes on where it was.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "cluster/cluster.h"
#include "cluster/cluster_cache.h"
#include "workers/loops/behind_bindings.h"

namespace fluxnetes::workers {

class GroupStatuses {
 public:
  struct Options {
    std::size_t batch = 100;
    std::chrono::milliseconds patience{30'000};
    std::chrono::milliseconds first_pause{1'000};  // before it is tried again
    std::chrono::milliseconds longest_pause{600'000};
  };

  GroupStatuses(cluster::Cluster& cluster, const cluster::ClusterCache& cache,
                const OwnBindings& bindings, Options options)
      : cluster_(cluster),
        cache_(cache),
        options_(options),
        behind_(bindings, options.patience) {}

  // Pods of ours that name these, or the objects themselves, have changed.
  void Note(std::span<const cluster::PodGroupName> groups);
  // Why this pod cannot be placed, and so its group.
  void NoteWhy(const std::string& uid, const std::string& why);

  // True if there is more to do at once.
  bool RunOnce(cluster::Time now);

 private:
  // A group whose status may have to be written.
  struct Noted {
    std::string why;         // empty: nobody says so
    cluster::Time due = {};  // not before
    std::chrono::milliseconds pause{0};
  };
  // What we have written and the cache does not show yet.
  struct Written {
    std::string uid;
    std::string resource_version;
    cluster::PodGroupStatus status;
  };
  using Batch = std::map<cluster::PodGroupName, Noted>;

  Batch Take(cluster::Time now);
  void PutBack(const Batch& batch);
  // Nothing if it says so already, or is not there.
  std::optional<cluster::PodGroupNews> NewsOf(const cluster::PodGroupName& name,
                                              const std::string& why);

  cluster::Cluster& cluster_;
  const cluster::ClusterCache& cache_;
  const Options options_;
  BehindBindings behind_;
  std::map<cluster::PodGroupName, Written> written_;

  std::mutex mutex_;
  Batch noted_;  // protected by mutex_
};

}  // namespace fluxnetes::workers
