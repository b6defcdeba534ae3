// Writes new jobs as rows; for this folder only. WorkQueue has the contract.
// Tests: tests/queue/store/insert_pgtest.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "queue/jobs/job.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::queue {

// Checks the jobs and inserts those that have no duplicate yet.
std::vector<Inserted> InsertJobs(sql::Transaction& transaction,
                                 std::span<const NewJob> jobs, bool announce);

// Likewise, in a transaction of its own; in one round trip if no job is unique.
std::vector<Inserted> InsertJobsAlone(sql::Pool& pool,
                                      std::span<const NewJob> jobs,
                                      bool announce);

std::vector<Job> InsertLeasedJobs(sql::Transaction& transaction,
                                  std::span<const NewJob> jobs,
                                  const LeaseOfNew& lease);

void CopyJobs(sql::Transaction& transaction, std::span<const NewJob> jobs);

// Returns the queues of the jobs, without duplicates.
std::vector<std::string> QueuesOf(std::span<const NewJob> jobs);

}  // namespace fluxnetes::queue
