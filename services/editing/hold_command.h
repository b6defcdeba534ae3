// `fluxnetes hold group` and `fluxnetes release group`: whether groups may
// start.
#pragma once

#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// kNotFound if one of the names has no unfinished group, kFailed if one that is
// to be held has started; the others are held or released all the same. Throws
// sql::Error.
ExitCode RunHold(const HoldOptions& options, sql::Pool& pool, Console& console);

}  // namespace fluxnetes::services
