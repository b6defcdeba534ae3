// `fluxnetes web`: prints a link that lets one browser in to the pages, as the
// user who runs the command. Whoever may use the database may do everything, so
// the browser may too (unless web.readOnly is on).
// Tests: tests/services/web/web_command_pgtest.cc.
#pragma once

#include "services/config/config.h"
#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// The pool has the queries of web_sessions.sql prepared. Throws Failure
// (kUsage) if the pages have no address, and sql::Error.
ExitCode RunWeb(const WebOptions& options, const Config& config,
                sql::Pool& pool, Console& console);

}  // namespace fluxnetes::services
