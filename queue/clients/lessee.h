// One who works on the jobs of one queue in batches, for a client: it leases a
// batch, does the work, finishes the jobs (WorkQueue::Finish, usually in a
// transaction of its own) and says that it is done.
//
// A batch that nobody said to be done was left by a failure: nobody knows which
// of its jobs were finished. Before the next lease those that were not are
// given back, so that no job stays with a living client that has forgotten it.
// That names their attempts, so it takes nothing from others who have them by
// now, and it burns no attempt.
//
// A lease need not wait for the disk: if a crash of the server undoes it, the
// job is leased once more, with the same attempt.
//
// One thread. Throws sql::Error when PostgreSQL fails; then call it again.
#pragma once

#include <string>
#include <vector>

#include "queue/clients/client.h"
#include "queue/store/work_queue.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::queue {

class Lessee {
 public:
  Lessee(WorkQueue& jobs, const Client& client, std::string queue,
         sql::Durability durability = sql::Durability::kWait);

  // The next jobs (WorkQueue::Lease); what was left of the batch before is
  // given back first, and may be among them.
  std::vector<Job> Lease(int limit);

  // The batch is finished: its results are committed.
  void Done();

 private:
  WorkQueue& jobs_;
  const Client& client_;
  const std::string queue_;
  const sql::Durability durability_;
  std::vector<JobResult> open_;  // what would give the batch back
};

}  // namespace fluxnetes::queue
