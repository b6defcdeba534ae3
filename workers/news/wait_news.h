// Reports to the pods of waiting groups why they wait: the condition
// PodScheduled=False, reason Unschedulable, on each waiting pod (the cluster
// autoscaler reads it; reason SchedulingGated where new nodes would not help),
// and one event FailedScheduling for the group, on its first pod.
//
//   group a/train: 3 of 8 pods have arrived
//   needs 8 × (2 cpu, 4Gi); 5 of 8 places are free now; reserved from 14:05 UTC
//
// A report has a kind (such as wait_reasons.kind). An event is recorded when
// the kind changes. Conditions are written then, too, and also when another pod
// arrives or a reservation moves. Numbers that change by themselves cause no
// report: those in a condition are as of the time it was set. Reports are
// recorded in the rows of groups and pods, so that no process repeats one. If a
// process dies, or the cluster becomes unreachable, halfway, the report is
// repeated minutes later, which changes nothing: the condition is the same and
// the event exists.
//
// A change of the reason marks the group as due, after a pause that grows with
// its size (next_news() in the schema): most groups start meanwhile. A
// condition names the recorded version of the pod, so that it is never set on a
// bound pod. It costs the API server as much as a binding, so reports wait
// while pods are being bound, but no longer than `patience`; and each RunOnce()
// reports to at most `batch` pods. A write that the API server refuses (a right
// may be missing) is retried after half of the time that the group has waited.
//
// RunOnce() from one thread; several may run at once, also in other processes.
// Throws sql::Error, and cluster::Unreachable after putting the reports off.
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
#include "workers/loops/binding_backpressure.h"

namespace fluxnetes::workers {

class WaitNews {
 public:
  struct Options {
    int batch = 100;  // pods
    std::chrono::milliseconds patience{30'000};
    // Called with one pod of each group that got a report, and the text.
    std::function<void(const std::string& uid, const std::string& why)>
        on_told = nullptr;
  };

  WaitNews(sql::Pool& pool, cluster::Cluster& cluster,
           const BindingLedger& bindings, Options options)
      : pool_(pool),
        cluster_(cluster),
        options_(std::move(options)),
        backpressure_(bindings, options_.patience) {}

  // Returns true if more reports can be made at once.
  bool RunOnce(cluster::Time now);

 private:
  struct Group {
    std::int64_t id = 0;
    // Set while it fills.
    std::optional<std::string> namespace_name, name;
    std::optional<std::string> told;  // the kind of its last event
    std::string occasion;             // when that was recorded
    std::int32_t age = 0;             // seconds
    std::string kind;
    std::string news;                 // as in pods.told; empty: no report
    std::string message;              // for people
    bool said = false;                // reported to any pod
    bool sent = false;                // its event was recorded
    std::optional<std::int32_t> due;  // seconds until the next report
  };

  struct UntoldPod {
    std::size_t group = 0;
    cluster::PodCondition condition;
    // The version after the condition was set; none: not reported.
    std::optional<std::string> version;
  };

  void Claim(cluster::Time now);
  void SpreadReasons(sql::Transaction& transaction, cluster::Time now);
  void ClaimFilling(sql::Transaction& transaction, cluster::Time now);
  void ClaimActive(sql::Transaction& transaction, cluster::Time now);
  void ReadWhy(sql::Transaction& transaction, cluster::Time now);
  static void ReadTold(const sql::Row& row, Group& group);
  void ReadPods(sql::Transaction& transaction);
  void Tell();
  void Settle(cluster::Time now);
  void RecordPods(sql::Transaction& transaction,
                  const std::vector<bool>& settled);

  sql::Pool& pool_;
  cluster::Cluster& cluster_;
  const Options options_;
  BindingBackpressure backpressure_;
  std::vector<Group> groups_;  // of this run
  std::vector<UntoldPod> pods_;
};

}  // namespace fluxnetes::workers
