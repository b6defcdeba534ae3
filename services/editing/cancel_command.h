// `fluxnetes cancel group`: notes that groups are to end; the scheduler deletes
// their pods.
#pragma once

#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// kNotFound if one of the names has no unfinished group; the others are
// cancelled all the same. Throws sql::Error.
ExitCode RunCancel(const CancelOptions& options, sql::Pool& pool,
                   Console& console);

}  // namespace fluxnetes::services
