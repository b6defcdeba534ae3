// `fluxnetes explain group`: why a group waits, for those who want to do
// something about it: what it stands behind, what keeps its pods off which
// nodes, and which changes would let it start earlier. All that is known of the
// group as such is in `describe`.
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
