// Tells the pods of groups that wait why they do: the condition
// PodScheduled=False, reason Unschedulable, on each pod that waits (the cluster
// autoscaler reads it there; where it could not help, SchedulingGated), and one
// event FailedScheduling for the group, on its first pod.
//
//   group a/train: 3 of 8 pods have arrived
//   needs 8 × (2 cpu, 4Gi); 5 of 8 places are free now; reserved from 14:05 UTC
//
// What people are told has a kind (wait_reasons.kind and its like). An event
// comes when that changes; conditions follow, and are also corrected when
// another pod arrives or a reservation moves. Numbers that change by themselves
// are no news: those in a condition are of when it was set. What was told
// stands in the rows of groups and pods, so that nothing is told twice, by
// whichever process. If one dies, or the cluster is away, halfway, it is told
// again minutes later, which changes nothing: the condition says so already
// and the event is there.
//
// Who changes why a group waits marks it as due, after a pause that grows with
// its size (next_news() in the schema): most groups start meanwhile. A
// condition names the version of the pod that is recorded, so that it is never
// set on one that is bound. It costs the API server as much as a binding, so
// news wait while pods are being bound, but no longer than `patience`; and each
// RunOnce() tells at most `batch` pods. What the API server refuses (it may
// want of a right) is tried again after half of the time that the group has
// waited.
//
// RunOnce() from one thread; several may run at once, also in other processes.
// Throws sql::Error, and cluster::Unreachable after putting the news off.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/cluster.h"
#include "sql/connection/pool.h"
#include "sql/connection/transaction.h"
#include "workers/loops/behind_bindings.h"

namespace fluxnetes::workers {

class WaitNews {
 public:
  struct Options {
    int batch = 100;  // pods
    std::chrono::milliseconds patience{30'000};
    // Told of one pod of each group that was told, and what.
    std::function<void(const std::string& uid, const std::string& why)>
        on_told = nullptr;
  };

  WaitNews(sql::Pool& pool, cluster::Cluster& cluster,
           const OwnBindings& bindings, Options options)
      : pool_(pool),
        cluster_(cluster),
        options_(std::move(options)),
        behind_(bindings, options_.patience) {}

  // True if there is more to tell at once.
  bool RunOnce(cluster::Time now);

 private:
  struct Group {
    std::int64_t id = 0;
    // While it fills:
    std::optional<std::string> namespace_name, name;
    std::optional<std::string> told;  // the kind of its last event
    std::string occasion;             // since when that is so
    std::int32_t age = 0;             // seconds
    std::string kind;
    std::string news;     // as in pods.told; empty: there is nothing to tell
    std::string message;  // for people
    bool said = false;    // to any pod
    bool sent = false;    // its event
    std::optional<std::int32_t> due;  // again, in seconds
  };

  struct UntoldPod {
    std::size_t group = 0;
    cluster::PodCondition condition;
    std::optional<std::string> version;  // with the condition; none: not told
  };

  void Claim(cluster::Time now);
  void SpreadReasons(sql::Transaction& transaction, cluster::Time now);
  void ClaimFilling(sql::Transaction& transaction, cluster::Time now);
  void ClaimActive(sql::Transaction& transaction, cluster::Time now);
  static void ReadTold(const sql::Row& row, Group& group);
  void ReadPods(sql::Transaction& transaction);
  void Tell();
  void Settle(cluster::Time now);
  void RecordPods(sql::Transaction& transaction,
                  const std::vector<bool>& settled);

  sql::Pool& pool_;
  cluster::Cluster& cluster_;
  const Options options_;
  BehindBindings behind_;
  std::vector<Group> groups_;  // of this run
  std::vector<UntoldPod> pods_;
};

}  // namespace fluxnetes::workers
