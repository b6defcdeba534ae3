// Asks the makers of groups that stay incomplete how many pods they can still
// make (workers/pods/group_makers.h), since the rest of a Job's completions, an
// index that has succeeded, or a lowered parallelism would leave a group
// waiting for pods that never come:
//
//   all pods that can come have arrived ─▶ promoted as a smaller group, with an
//                                          event on its first pod
//   the group may never be whole        ─▶ the reason, in its row
//   it can still be whole               ─▶ waits
//
// A group is asked about when its pods have not changed for 5 seconds and 20 ms
// for each pod of its size (next_news() in the schema), and then ever less
// often, since what its makers can make hardly changes without a change of its
// pods. All controllers of a batch of groups are read at once. So Kubernetes
// Jobs need not be watched, and groups that fill as usual cost nothing.
//
// What was read may be old when it is written. A group whose pods have changed
// meanwhile is left alone; one whose maker can make more again is gathered anew
// when the next pod comes, unless it has started (intake_batch.h).
//
// RunOnce() from one thread; several may run at once, also in other processes.
// Throws sql::Error, and cluster::Unreachable; the groups are then asked about
// again.
// Tests: tests/workers/intake/stalled_groups_pgtest.cc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cluster/cluster.h"
#include "queue/store/work_queue.h"
#include "sql/connection/pool.h"
#include "sql/connection/transaction.h"
#include "workers/intake/promoter.h"
#include "workers/pods/group_makers.h"

namespace fluxnetes::workers {

class StalledGroups {
 public:
  struct Options {
    int batch = 100;  // groups at once
  };

  StalledGroups(sql::Pool& pool, queue::WorkQueue& jobs,
                const Promoter& promoter, cluster::Cluster& cluster,
                Options options)
      : pool_(pool),
        jobs_(jobs),
        promoter_(promoter),
        cluster_(cluster),
        options_(options) {}

  // Runs one batch. Returns true if there is more to do at once.
  bool RunOnce(cluster::Time now);

 private:
  struct Group {
    std::string namespace_name;
    std::string name;
    std::int32_t members = 0;
    cluster::Time changed_at{};
    // The controllers of the last complete group of the name.
    std::optional<std::vector<std::string>> made_by;
    std::vector<cluster::ObjectName> controllers;
    std::map<std::string, std::int32_t> elsewhere;  // pods, by controller's UID
    IncompleteGroup state;
  };

  std::vector<Group> Claim(cluster::Time now);
  void ReadPods(sql::Transaction& transaction, std::vector<Group>& groups);
  void AskMakers(std::vector<Group>& groups);
  void Settle(const std::vector<Group>& groups, cluster::Time now);

  sql::Pool& pool_;
  queue::WorkQueue& jobs_;
  const Promoter& promoter_;
  cluster::Cluster& cluster_;
  const Options options_;
};

}  // namespace fluxnetes::workers
