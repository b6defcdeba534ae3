// `fluxnetes simulate`: a trace, manifests or drawn jobs, run by the decisions
// of the scheduler in virtual time; figures, a table of groups and pictures.
#pragma once

#include "services/config.h"
#include "services/console.h"
#include "services/exit_code.h"
#include "services/options.h"

namespace fluxnetes::services {

// Throws Failure: kUsage, or kFailed for input that cannot be or a file that
// cannot be written.
ExitCode RunSimulate(const SimulateOptions& options, const Config& config,
                     Console& console);

}  // namespace fluxnetes::services
