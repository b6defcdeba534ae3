// Promotes whole groups out of the provisional tables: in one transaction a
// group with its pods becomes an active one, and a `match` job is made for it.
// If there are more pods than its size, the first by completion index, then by
// age, are its members. Each of the others becomes a group of one that keeps
// the group's place in the pending order. Gated pods stay: they begin the next
// group of that name.
//
// The pods of an elastic group beyond its size wait until it has its nodes, and
// those beyond its maximum until other pods of it have ended.
//
// Intake promotes a group in the transaction that makes it whole, which saves a
// second transaction. More groups than one batch (as when a queue is created
// that thousands of groups have named) are left to RunOnce().
//
// A group is promoted once: its provisional row is deleted in the same
// transaction. Rows locked by another promoter or by intake are left to the
// next run.
//
// Thread-safe; several promoters may run at once. Throws sql::Error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/objects/pod.h"
#include "queue/clients/handover.h"
#include "queue/store/work_queue.h"
#include "sql/connection/pool.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::workers {

// Turns pods that wait under the name of an active group into groups of one
// with the order of that group. Each entry is a group and a pod's UID; without
// a UID it means all pods that wait under the group's name.
void PromoteSurplus(sql::Transaction& transaction, queue::WorkQueue& jobs,
                    const std::vector<std::int64_t>& groups,
                    const std::vector<std::optional<std::string>>& uids,
                    cluster::Time now);

class Promoter {
 public:
  struct Options {
    int batch = 1'000;  // groups at once
    // To the match of this process, if set.
    queue::Handover* handover = nullptr;
  };

  Promoter(sql::Pool& pool, queue::WorkQueue& jobs, Options options);

  // Runs one batch. Returns true if there is more to do at once.
  bool RunOnce(cluster::Time now);

  // Promotes one batch within the caller's transaction. Returns the number of
  // groups.
  int Promote(sql::Transaction& transaction, cluster::Time now) const;
  // Adds waiting pods to elastic groups that have changed (growth_inbox).
  // Returns the number of groups.
  int Grow(sql::Transaction& transaction) const;

 private:
  sql::Pool& pool_;
  queue::WorkQueue& jobs_;
  const Options options_;
};

}  // namespace fluxnetes::workers
