// `fluxnetes history`: finished groups, the last first: their results, how long
// they waited and how long they ran.
#pragma once

#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// Throws Failure (kUsage) and sql::Error.
ExitCode RunHistory(const HistoryOptions& options, sql::Pool& pool,
                    Console& console);

}  // namespace fluxnetes::services
