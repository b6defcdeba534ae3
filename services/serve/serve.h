// `fluxnetes serve`: the cluster of the configuration, the scheduler on it, and
// the wait for SIGTERM or SIGINT; then everything stops in order.
#pragma once

#include "services/config/config.h"
#include "services/console/exit_code.h"

namespace fluxnetes::services {

// For a process that has no other threads yet. A database that is away is
// waited for; what is wrong in the configuration throws Failure.
ExitCode RunServe(const Config& config);

}  // namespace fluxnetes::services
