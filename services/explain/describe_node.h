// `fluxnetes describe node`: one node in full: what of it is in use, the groups
// that have it or will have it, its maintenance, and what it has inside.
// Tests: tests/services/explain/describe_node_pgtest.cc.
#pragma once

#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// Throws Failure (kNotFound) and sql::Error.
ExitCode RunDescribeNode(const DescribeOptions& options, sql::Pool& pool,
                         Console& console);

}  // namespace fluxnetes::services
