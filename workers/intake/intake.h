// Watches the cluster, keeps the cache of it up to date, and, where it leads,
// records what concerns the pods of our scheduler (intake_batch.h has the
// rules). Others' pods are kept in the cache and never touched; but one that
// names a group while it asks for another scheduler gets an event that says so,
// since its group would wait for it for ever.
//
// It only remembers which pods have changed, and reads them from the cache when
// it writes, never before the first list has ended (what that has not told yet
// would look gone), nor, as a new leader, before the watch has told what the
// former one has recorded: else it lists again. So nothing is lost while the
// database is away, however long, and the memory it takes is bounded by the
// number of pods. After a list,
// as a new leader, after a commit in doubt, when the server may have crashed
// (so commits do not wait for its disk) and when asked to (resync.h) it
// compares everything with the records. What differs then though no event was
// left to be recorded should not be: it is noted as a difference. (A new
// leader's first comparison goes on where the former one ended, and notes
// none.)
//
// An allocated group that lost a member may be in a binder's hands, perhaps of
// a process that is paused. It is recalled: no new binding begins. Then its
// unbound pods are touched, so that a binding under way meets a conflict, and
// only then are its places given back.
//
// RunOnce() from one thread, in every process; the database decides who leads.
// Throws sql::Error, and cluster::Unreachable if a recalled group cannot be
// taken back now; it goes on where it was.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

#include "cluster/cluster_cache.h"
#include "queue/clients/leadership.h"
#include "queue/store/work_queue.h"
#include "sql/connection/pool.h"
#include "sql/connection/transaction.h"
#include "workers/loops/differences.h"
#include "workers/loops/own_bindings.h"

namespace fluxnetes::workers {

class IntakeBatch;
class Promoter;

struct IntakeCounts {
  std::atomic<std::int64_t> recorded = 0;   // pods whose record differed
  std::atomic<std::int64_t> healed = 0;     // by a full comparison only
  std::atomic<std::int64_t> set_aside = 0;  // pods that could not be recorded
  std::atomic<std::int64_t> resyncs = 0;    // full comparisons
};

class Intake {
 public:
  struct Recorded {
    bool for_match = false;
    bool for_cleanup = false;
  };

  struct Options {
    std::string scheduler_name = "fluxnetes";
    int batch = 1'000;                           // pods in one transaction
    int events = 10'000;                         // taken from the watch at once
    std::chrono::milliseconds watch_timeout{0};  // waits for the first event
    // Changed pods, besides those of a comparison; more: compare everything.
    std::size_t remembered = 200'000;
    // Takes out what becomes whole, in the same transaction; null: that is left
    // to its own runs.
    const Promoter* promoter = nullptr;
    // Told after something was recorded: who has to do with it.
    std::function<void(const Recorded&)> on_recorded = nullptr;
    // Told of a pod that cannot be recorded.
    std::function<void(const std::string& uid, const std::string& why)>
        on_set_aside = nullptr;
    // What this process's binder records itself; null: everything is read.
    OwnBindings* own_bindings = nullptr;
    Differences* differences = nullptr;  // null: nobody wants to know
    // Told after a list of the cluster, the first one too.
    std::function<void()> on_listed = nullptr;
    // Told, where this process leads, of PodGroups whose status may be another
    // one: pods of ours that name them have changed, or they themselves.
    std::function<void(const std::vector<cluster::PodGroupName>&)>
        on_pod_groups = nullptr;
  };

  Intake(sql::Pool& pool, queue::WorkQueue& jobs, queue::Leadership& leadership,
         cluster::Cluster& cluster, cluster::ClusterCache& cache,
         Options options);

  // True if there is more to do at once.
  bool RunOnce(cluster::Time now);

  // A full comparison comes with the next run. Thread-safe.
  void CompareEverything() { asked_ = true; }
  // The cluster is listed anew with the next run: the watch has left something
  // out. Thread-safe.
  void ListAgain() { list_again_ = true; }

  // Of pods or nodes: the watch has told all that happened up to this resource
  // version; 0: it is not known. Thread-safe.
  std::uint64_t ToldUntil(cluster::WatchedKind kind) const;

  const IntakeCounts& counts() const { return counts_; }
  bool leads() const { return term_ != 0; }  // thread-safe

 private:
  using Pods = std::vector<std::string>;

  // How far the watch has told of a kind: it tells in order, but within a list.
  struct Told {
    std::uint64_t newest = 0;
    bool listing = false;
    std::int64_t lists = 0;  // that have ended
    std::atomic<std::uint64_t> until{0};
  };

  bool Watch();
  void NoteTold(const cluster::WatchEvent& event);
  static void NoteTold(const cluster::WatchEvent& event,
                       cluster::WatchedKind kind, Told& told);
  bool Lead();
  // A former leader knew of more than the watch has told: it is listed again.
  bool IsBehind();
  // Of the pods that are recorded, the newest resource version; 0: none.
  std::uint64_t RecordedUntil();
  bool HasSeenLists() const { return told_pods_.lists >= lists_to_see_; }
  bool MayWrite() const;
  void Write(cluster::Time now);
  void LookForCrash();
  void Notice(const cluster::PodPointer& before,
              const cluster::PodPointer& after);
  void NoticeBindings();
  void NoticeGroups(const cluster::CacheChanges& changes);
  void Remember(const std::string& uid);
  void RememberAll();
  bool MayStillChange(const std::string& uid) const;
  void NoteDifferences(const Pods& wrong);
  void TellStrays();
  void RecordChanges(cluster::Time now);
  int Record(const Pods& uids, cluster::Time now);
  void Finish(sql::Transaction& transaction, IntakeBatch& batch,
              cluster::Time now);
  int RecordOneByOne(const Pods& uids, cluster::Time now);
  // While there are events, twice a second: a watch wakes often.
  bool IsDueToReadQueues();
  void ConsiderQueues(cluster::Time now);
  void TakeBackRecalled(cluster::Time now);
  void TakeBack(std::int64_t group, const Pods& uids,
                const std::vector<cluster::PodPointer>& bound,
                cluster::Time now);
  bool IsOurs(const cluster::Pod& pod) const;

  sql::Pool& pool_;
  queue::WorkQueue& jobs_;
  queue::Leadership& leadership_;
  cluster::Cluster& cluster_;
  cluster::ClusterCache& cache_;
  const Options options_;
  std::unique_ptr<cluster::Watch> watch_;

  std::deque<std::string> changed_;  // UIDs, each once, in order of the events
  std::unordered_set<std::string> remembered_;  // the same
  std::vector<cluster::PodPointer> under_way_;  // our binder is at them
  std::atomic<std::int64_t> term_ = 0;          // 0: another leads
  bool newly_leads_ = false;                    // and may be behind
  std::int64_t lists_to_see_ = 0;               // of pods, before it writes
  bool compare_ = true;
  std::atomic<bool> asked_{false};  // to compare
  std::atomic<bool> list_again_{false};
  Told told_pods_, told_nodes_;
  // Changes may have been missed for good reasons: what differs is no fault.
  bool catching_up_ = true;
  // Of a comparison, as long as no event has told of them.
  std::unordered_set<std::string> compared_;
  std::size_t comparing_ = 0;  // so many of changed_ are of a full comparison
  Pods strays_;                // UIDs of others' pods that name a group
  bool recalled_ = true;       // there may be groups to take back
  bool told_ = false;          // the watch had events in this run
  std::string queue_names_;
  std::chrono::steady_clock::time_point queues_read_{};
  std::int64_t broken_ = 0;  // connections, so far
  IntakeCounts counts_;
};

}  // namespace fluxnetes::workers
