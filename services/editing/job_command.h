// `fluxnetes jobs`: shows and changes single jobs of the work queue, and prints
// figures per queue. `jobs list` is `get jobs`.
#pragma once

#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// Throws Failure and sql::Error. Returns kNotFound if a job does not exist,
// kFailed if its state does not allow the change; the other jobs are changed in
// any case.
ExitCode RunJobs(const JobsOptions& options, sql::Pool& pool, Console& console);

}  // namespace fluxnetes::services
