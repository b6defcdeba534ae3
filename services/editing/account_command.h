// `fluxnetes account`: creates, changes and deletes accounts (weights, quotas,
// parents). A change takes effect at once, like one made with SQL.
#pragma once

#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// Throws Failure and sql::Error.
ExitCode RunAccount(const AccountOptions& options, sql::Pool& pool,
                    Console& console);

}  // namespace fluxnetes::services
