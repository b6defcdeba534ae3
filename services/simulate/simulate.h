// `fluxnetes simulate`: a trace, drawn jobs, manifests or the state of a
// running scheduler, run on by its decisions in virtual time; figures, a table
// of groups and pictures.
#pragma once

#include "services/config/config.h"
#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// `pool` is that of the database for --snapshot, else null. Throws Failure:
// kUsage, or kFailed for input that cannot be or a file that cannot be written;
// and sql::Error.
ExitCode RunSimulate(const SimulateOptions& options, const Config& config,
                     sql::Pool* pool, Console& console);

}  // namespace fluxnetes::services
