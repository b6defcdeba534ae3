// `fluxnetes serve`: runs the configured cluster and the scheduler until
// SIGTERM or SIGINT, then stops everything in order.
// Tests: tests/services/serve/database_trouble_pgtest.cc.
#pragma once

#include "services/config/config.h"
#include "services/console/exit_code.h"

namespace fluxnetes::services {

// Call it before the process has other threads. Waits for a database that is
// away; throws Failure for an invalid configuration.
ExitCode RunServe(const Config& config);

}  // namespace fluxnetes::services
