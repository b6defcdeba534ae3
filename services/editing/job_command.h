// `fluxnetes jobs`: single jobs of the work queue in full, what an operator
// does to them, and figures per queue. `jobs list` is `get jobs`.
#pragma once

#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// Throws Failure and sql::Error. kNotFound if one of the jobs is not there,
// kFailed if its state does not allow it; the others are done in any case.
ExitCode RunJobs(const JobsOptions& options, sql::Pool& pool, Console& console);

}  // namespace fluxnetes::services
