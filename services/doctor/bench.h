// `fluxnetes bench`: measures this database and this machine for a few seconds:
// round trips, durable commits, jobs per second through the work queue, and the
// scheduler's decisions on the nodes in the database.
//
// It works in its own schema, fluxnetes_bench, and drops it at the end. Other
// load on the database during a run is slowed down, and lowers the figures.
#pragma once

#include "services/config/config.h"
#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// `pool` serves the scheduler's own schema. Throws Failure and sql::Error.
ExitCode RunBench(const BenchOptions& options, const Config& config,
                  sql::Pool& pool, Console& console);

}  // namespace fluxnetes::services
