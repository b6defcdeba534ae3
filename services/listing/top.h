// `fluxnetes top`: nodes by how full they are, groups by what they hold; on a
// terminal it goes on and shows what changes, in a pipe it ends at once.
#pragma once

#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// Throws Failure and sql::Error.
ExitCode RunTop(const TopOptions& options, sql::Pool& pool, Console& console);

}  // namespace fluxnetes::services
