// `fluxnetes queue`: changes scheduling queues. A change takes effect at once,
// as one made with SQL does.
#pragma once

#include "services/console.h"
#include "services/exit_code.h"
#include "services/options.h"
#include "sql/pool.h"

namespace fluxnetes::services {

// Throws Failure and sql::Error.
ExitCode RunQueue(const QueueOptions& options, sql::Pool& pool,
                  Console& console);

}  // namespace fluxnetes::services
