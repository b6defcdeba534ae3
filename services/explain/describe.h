// `fluxnetes describe group`: everything known of one group in any state: its
// requests, why it waits, its estimated start, its history, its pods, and its
// unfinished jobs.
#pragma once

#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// Throws Failure (kNotFound) and sql::Error.
ExitCode RunDescribe(const DescribeOptions& options, sql::Pool& pool,
                     Console& console);

}  // namespace fluxnetes::services
