// `fluxnetes simulate`: simulates a trace, generated jobs, manifests or the
// present state of a running scheduler with the scheduler's decisions in
// virtual time; the output is figures, a table of groups and pictures.
#pragma once

#include "services/config/config.h"
#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// `pool` is that of the database for --snapshot, else null. Throws Failure:
// kUsage, or kFailed for invalid input or a file that cannot be written; and
// sql::Error.
ExitCode RunSimulate(const SimulateOptions& options, const Config& config,
                     sql::Pool* pool, Console& console);

}  // namespace fluxnetes::services
