// `fluxnetes hold group` and `fluxnetes release group`: keep groups from
// starting, and allow them again.
// Tests: tests/services/editing/hold_pgtest.cc.
#pragma once

#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// Returns kNotFound if a name has no unfinished group, kFailed if a group to be
// held has started; the other groups are held or released all the same. Throws
// sql::Error.
ExitCode RunHold(const HoldOptions& options, sql::Pool& pool, Console& console);

}  // namespace fluxnetes::services
