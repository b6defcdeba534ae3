// `fluxnetes bench`: measures this database and this machine for a few seconds:
// round trips, durable commits, how fast jobs go through the work queue, and
// how fast the scheduler decides on the nodes that the database knows.
//
// It works in a schema of its own, fluxnetes_bench, which it drops at the end.
// What else runs there meanwhile is slowed down, and counts in the figures.
#pragma once

#include "services/config/config.h"
#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// `pool` is that of the scheduler's own schema. Throws Failure and sql::Error.
ExitCode RunBench(const BenchOptions& options, const Config& config,
                  sql::Pool& pool, Console& console);

}  // namespace fluxnetes::services
