// How new jobs become rows; of this folder only. WorkQueue says what is
// promised.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "queue/jobs/job.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::queue {

// Checks the jobs, and inserts those that are not there already.
std::vector<Inserted> InsertJobs(sql::Transaction& transaction,
                                 std::span<const NewJob> jobs, bool announce);

// The same in a transaction of its own; in one round trip if none is unique.
std::vector<Inserted> InsertJobsAlone(sql::Pool& pool,
                                      std::span<const NewJob> jobs,
                                      bool announce);

void CopyJobs(sql::Transaction& transaction, std::span<const NewJob> jobs);

// The queues of the jobs, each once.
std::vector<std::string> QueuesOf(std::span<const NewJob> jobs);

}  // namespace fluxnetes::queue
