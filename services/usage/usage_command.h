// `fluxnetes usage`: what groups held of each resource over months or days, by
// account, queue, namespace and user, from the roll-up that is kept for years
// (workers/usage/usage_roll_up.h).
#pragma once

#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// Throws Failure (kUsage) and sql::Error.
ExitCode RunUsage(const UsageOptions& options, sql::Pool& pool,
                  Console& console);

}  // namespace fluxnetes::services
