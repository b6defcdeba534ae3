// `fluxnetes top`: nodes by utilisation, groups by allocation. On a terminal it
// refreshes until interrupted, in a pipe it prints once.
// Tests: tests/services/records/views_pgtest.cc.
#pragma once

#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// Throws Failure and sql::Error.
ExitCode RunTop(const TopOptions& options, sql::Pool& pool, Console& console);

}  // namespace fluxnetes::services
