// `fluxnetes migrate`: makes the schema, or says how it stands with it.
#pragma once

#include "services/config.h"
#include "services/console.h"
#include "services/exit_code.h"
#include "services/options.h"

namespace fluxnetes::services {

// Throws Failure and sql::Error.
ExitCode RunMigrate(const MigrateOptions& options, const Config& config,
                    Console& console);

}  // namespace fluxnetes::services
