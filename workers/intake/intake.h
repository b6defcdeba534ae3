// Watches the cluster, keeps the cache up to date, and, in the process that
// leads, records changes of this scheduler's pods (intake_batch.h has the
// rules). Pods of other schedulers are kept in the cache and never changed. But
// such a pod that names a group gets an event, since its group would wait for
// it for ever.
//
// Intake remembers only which pods have changed, and reads them from the cache
// when it writes. It writes only after the first list has ended (pods not
// listed yet would look deleted) and, as a new leader, after the watch has
// reached its predecessor's records; if the watch is behind them, it lists
// again. So nothing is lost while the database is away, however long, and
// memory is bounded by the number of pods.
//
// It compares everything with the records after a list, as a new leader, after
// a commit in doubt, when the server may have crashed (so commits do not wait
// for its disk) and on request (resync.h). A pod that differs although no event
// was left to be recorded is noted as a difference. (The first comparison of a
// new leader continues its predecessor's work and notes none.)
//
// An allocated group that lost a member may be in the hands of a binder,
// perhaps of a paused process. The group is recalled: no new binding begins.
// Then its unbound pods are patched, so that a binding under way meets a
// conflict, and only then are its places released.
//
// RunOnce() from one thread, in every process; the database decides which one
// leads. Throws sql::Error, and cluster::Unreachable if a recalled group cannot
// be released now; the next call continues where it stopped.
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
#include "cluster/scheduler_names.h"
#include "queue/clients/leadership.h"
#include "queue/store/work_queue.h"
#include "sql/connection/pool.h"
#include "sql/connection/transaction.h"
#include "workers/loops/binding_ledger.h"
#include "workers/loops/differences.h"

namespace fluxnetes::workers {

class IntakeBatch;
class Promoter;

struct IntakeCounts {
  std::atomic<std::int64_t> recorded = 0;   // pods whose record differed
  std::atomic<std::int64_t> healed = 0;     // by full comparisons only
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
    cluster::SchedulerNames schedulers{};
    int batch = 1'000;                           // pods in one transaction
    int events = 10'000;                         // taken from the watch at once
    std::chrono::milliseconds watch_timeout{0};  // for the first event
    // Changed pods to remember, besides those of a comparison; if there are
    // more, everything is compared.
    std::size_t remembered = 200'000;
    // Promotes groups that become whole in the same transaction. Null: the
    // promoter's own runs do that.
    const Promoter* promoter = nullptr;
    // Called after a commit, with the components that have work.
    std::function<void(const Recorded&)> on_recorded = nullptr;
    // Called with a pod that cannot be recorded.
    std::function<void(const std::string& uid, const std::string& why)>
        on_set_aside = nullptr;
    // Called with what is wrong with what a node says of its inside.
    std::function<void(const std::string& warning)> on_node_warning = nullptr;
    // The bindings that this process's binder records itself. Null: all are
    // read again.
    BindingLedger* binding_ledger = nullptr;
    Differences* differences = nullptr;  // null: not collected
    // Called after each list of the cluster, including the first.
    std::function<void()> on_listed = nullptr;
    // Called, in the leading process, with PodGroups whose status may have
    // changed: pods of this scheduler that name them, or the PodGroups
    // themselves, have changed.
    std::function<void(const std::vector<cluster::PodGroupName>&)>
        on_pod_groups = nullptr;
  };

  Intake(sql::Pool& pool, queue::WorkQueue& jobs, queue::Leadership& leadership,
         cluster::Cluster& cluster, cluster::ClusterCache& cache,
         Options options);

  // Returns true if there is more to do at once.
  bool RunOnce(cluster::Time now);

  // Requests a full comparison in the next run. Thread-safe.
  void CompareEverything() { asked_ = true; }
  // Requests a new list of the cluster in the next run, after the watch has
  // missed a change. Thread-safe.
  void ListAgain() { list_again_ = true; }

  // The resource version of pods or nodes up to which the watch has delivered
  // all changes; 0: unknown. Thread-safe.
  std::uint64_t ToldUntil(cluster::WatchedKind kind) const;

  const IntakeCounts& counts() const { return counts_; }
  bool leads() const { return term_ != 0; }  // thread-safe

 private:
  using Pods = std::vector<std::string>;

  // The progress of the watch for one kind of object. It delivers in order,
  // except within a list.
  struct Told {
    std::uint64_t newest = 0;
    bool listing = false;
    std::int64_t lists = 0;  // ended ones
    std::atomic<std::uint64_t> until{0};
  };

  bool Watch();
  void NoteTold(const cluster::WatchEvent& event);
  static void NoteTold(const cluster::WatchEvent& event,
                       cluster::WatchedKind kind, Told& told);
  bool Lead();
  // Returns true if the predecessor's records are ahead of the watch; it then
  // lists again.
  bool IsBehind();
  // The newest resource version among the recorded pods; 0: none.
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
  // Limits the reads to two per second while events arrive, since the watch
  // then wakes the loop often.
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
  std::unordered_set<std::string> remembered_;  // the same UIDs
  // Bindings of this process's binder.
  std::vector<cluster::PodPointer> under_way_;
  std::atomic<std::int64_t> term_ = 0;  // 0: another process leads
  bool newly_leads_ = false;            // and its watch may be behind
  std::int64_t lists_to_see_ = 0;       // of pods, before it writes
  bool compare_ = true;
  std::atomic<bool> asked_{false};  // for a comparison
  std::atomic<bool> list_again_{false};
  Told told_pods_, told_nodes_;
  // Changes may have been missed for a known cause: what differs is no fault.
  bool catching_up_ = true;
  // Pods of a comparison for which no event has come since.
  std::unordered_set<std::string> compared_;
  // Number of pods in changed_ from a full comparison.
  std::size_t comparing_ = 0;
  Pods strays_;           // pods of other schedulers that name a group
  bool recalled_ = true;  // there may be recalled groups to release
  bool told_ = false;     // the watch had events in this run
  std::string queue_names_;
  std::chrono::steady_clock::time_point queues_read_{};
  std::int64_t broken_ = 0;  // broken connections so far
  IntakeCounts counts_;
};

}  // namespace fluxnetes::workers
