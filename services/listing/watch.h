// `fluxnetes get … --watch`: on a terminal the table is redrawn in place, like
// that of `top`, with a line of totals above groups; elsewhere each changed row
// is printed as a new line (in JSON: one document per line).
//
// It reads the database when that announces a change, at most ten times a
// second, less often if reading is slow, and every two seconds in any case. It
// survives a database outage. It ends when the user stops it, or with
// --until-done when every group has finished or can never fit; it then prints
// their results. A user who stops --until-done early gets the exit code
// kInterrupted.
// Tests: tests/services/listing/get_pgtest.cc.
#pragma once

#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// Throws Failure and sql::Error.
ExitCode RunWatch(const GetOptions& options, sql::Pool& pool, Console& console);

}  // namespace fluxnetes::services
