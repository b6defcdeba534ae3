// Records results of jobs; for this folder only. WorkQueue::Finish has the
// contract.
// Tests: tests/queue/store/work_queue_pgtest.cc.
#pragma once

#include <span>
#include <vector>

#include "queue/jobs/job.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::queue {

// Returns, for each result, whether it was accepted.
std::vector<bool> RecordResults(sql::Transaction& transaction,
                                std::span<const JobResult> results);

// Likewise, in a transaction of its own; in one round trip if one statement is
// enough.
std::vector<bool> RecordResultsAlone(sql::Pool& pool,
                                     std::span<const JobResult> results);

}  // namespace fluxnetes::queue
