// A row of a leased job as a Job; for this folder only.
// Tests: tests/queue/store/work_queue_pgtest.cc.
#pragma once

#include "queue/jobs/job.h"
#include "sql/connection/result.h"

namespace fluxnetes::queue {

// Takes a row of the queries lease_jobs and insert_leased_jobs.
Job JobFrom(const sql::Row& row);

}  // namespace fluxnetes::queue
