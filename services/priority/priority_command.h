// `fluxnetes priority`: raises or lowers the priority of groups that wait.
// Tests: tests/services/priority/priority_command_pgtest.cc.
#pragma once

#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// Returns kNotFound if there is no unfinished group of that name, kFailed if it
// has started. Throws sql::Error.
ExitCode RunPriority(const PriorityOptions& options, sql::Pool& pool,
                     Console& console);

}  // namespace fluxnetes::services
