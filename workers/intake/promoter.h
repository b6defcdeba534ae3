// Moves groups that are whole out of the provisional tables: a group with its
// pods becomes an active one, and a job `match` asks for its place, all in one
// transaction. Of more pods than its size the first by completion index, then
// by age, are its members; each of the others becomes a group of one that keeps
// the group's place in the order. Gated pods stay: with them the next group of
// that name begins.
//
// The pods of an elastic group beyond its size are held until it has its nodes,
// and beyond its maximum until others of it have ended.
//
// Intake promotes in the transaction that makes a group whole, so that nobody
// waits for a second one; what is more than a batch, as when a queue is made
// that thousands of groups have asked for, is left to RunOnce().
//
// A group is promoted once: its provisional row goes in the same transaction,
// and rows that another promoter or intake holds are left to the next run.
//
// Thread-safe; several promoters may run at once. Throws sql::Error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/objects/pod.h"
#include "queue/store/work_queue.h"
#include "sql/connection/pool.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::workers {

// A pod that waits under the name of an active group becomes a group of one
// with the order of that group. Per pod its group and UID; without a UID all
// pods that wait under the group's name.
void PromoteSurplus(sql::Transaction& transaction, queue::WorkQueue& jobs,
                    const std::vector<std::int64_t>& groups,
                    const std::vector<std::optional<std::string>>& uids,
                    cluster::Time now);

class Promoter {
 public:
  struct Options {
    int batch = 1'000;  // groups at once
  };

  Promoter(sql::Pool& pool, queue::WorkQueue& jobs, Options options);

  // One batch; true if there is more to do at once.
  bool RunOnce(cluster::Time now);

  // One batch within a transaction of others, which commit it. The number of
  // groups.
  int Promote(sql::Transaction& transaction, cluster::Time now) const;
  // The same for elastic groups of which there are news (growth_inbox).
  int Grow(sql::Transaction& transaction) const;

 private:
  sql::Pool& pool_;
  queue::WorkQueue& jobs_;
  const Options options_;
};

}  // namespace fluxnetes::workers
