// `fluxnetes explain group`: why a group waits, and what would help: the groups
// ahead of it in the pending order, what keeps its pods off which nodes, and
// which changes would let it start earlier. For everything else about the group
// see `describe`.
#pragma once

#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// Throws Failure (kNotFound) and sql::Error.
ExitCode RunExplain(const ExplainOptions& options, sql::Pool& pool,
                    Console& console);

}  // namespace fluxnetes::services
