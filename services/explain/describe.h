// `fluxnetes describe group`: all that is known of one group, wherever it is on
// its way: what it asks for, why it waits, when it will start, what happened
// when, its pods, and the work that is left to do for it.
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
