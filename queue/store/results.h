// How jobs ended, written down; of this folder only. WorkQueue::Finish says
// what is promised.
#pragma once

#include <span>
#include <vector>

#include "queue/jobs/job.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::queue {

// For each result, whether it was accepted.
std::vector<bool> RecordResults(sql::Transaction& transaction,
                                std::span<const JobResult> results);

// The same in a transaction of its own; in one round trip if one statement
// does.
std::vector<bool> RecordResultsAlone(sql::Pool& pool,
                                     std::span<const JobResult> results);

}  // namespace fluxnetes::queue
