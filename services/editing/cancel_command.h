// `fluxnetes cancel group`: marks groups as cancelled; the scheduler deletes
// their pods.
// Tests: tests/services/editing/cancel_pgtest.cc.
#pragma once

#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// Returns kNotFound if a name has no unfinished group; the other groups are
// cancelled all the same. Throws sql::Error.
ExitCode RunCancel(const CancelOptions& options, sql::Pool& pool,
                   Console& console);

}  // namespace fluxnetes::services
