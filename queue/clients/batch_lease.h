// Works on the jobs of one queue in batches, for one client: leases a batch,
// lets the caller do the work and finish the jobs (WorkQueue::Finish, usually
// in a transaction of its own), and is told by Done() that the batch is
// finished.
//
// A batch without Done() was interrupted by a failure, and it is unknown which
// of its jobs were finished. Before the next lease the unfinished ones are
// given back, so that no job stays leased to a living client that does not know
// it. This names their attempts, so jobs that another client has leased since
// are not affected, and no attempt is used up.
//
// With a handover, jobs that this process inserted for itself come first, and
// cost no lease; what waits in the table is looked at when there are none, and
// every two seconds.
//
// A lease need not wait for the disk: if a crash of the server undoes it, the
// job is leased again with the same attempt number.
//
// Used by one thread. Throws sql::Error when PostgreSQL fails; then call again.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "queue/clients/client.h"
#include "queue/clients/handover.h"
#include "queue/store/work_queue.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::queue {

class BatchLease {
 public:
  BatchLease(WorkQueue& jobs, const Client& client, std::string queue,
             sql::Durability durability = sql::Durability::kWait,
             Handover* handover = nullptr);

  // Returns the next jobs (WorkQueue::Lease). Unfinished jobs of the previous
  // batch are given back first and may be among them.
  std::vector<Job> Lease(int limit);

  // Call when the batch is finished and its results are committed.
  void Done();

  // Gives the batch back, due again after `delay`, and with it all that was
  // handed over, for it fails for a reason of this process. Until a batch is
  // done, nothing is handed over in this queue.
  void PutOff(std::chrono::milliseconds delay);

 private:
  std::vector<Job> TakeOrLease(int limit);
  void KeepOpen(const std::vector<Job>& leased);

  WorkQueue& jobs_;
  const Client& client_;
  const std::string queue_;
  const sql::Durability durability_;
  Handover* const handover_;
  std::chrono::steady_clock::time_point next_look_{};  // at the table
  std::vector<JobResult> open_;  // results that would give the batch back
};

}  // namespace fluxnetes::queue
