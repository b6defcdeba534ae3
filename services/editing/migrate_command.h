// `fluxnetes migrate`: creates or updates the schema, or reports its status.
// Tests: tests/services/database/database_pgtest.cc.
#pragma once

#include "services/config/config.h"
#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"

namespace fluxnetes::services {

// Throws Failure and sql::Error.
ExitCode RunMigrate(const MigrateOptions& options, const Config& config,
                    Console& console);

}  // namespace fluxnetes::services
