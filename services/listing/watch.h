// `fluxnetes get … --watch`: on a terminal the table is redrawn in place, as
// `top` does it, with a line of sums above groups; elsewhere every row that has
// changed is printed as a line of its own (in JSON: a document per line).
//
// It looks when the database announces something, at most ten times a second,
// less often where looking takes long, and every two seconds all the same. It
// outlives a database that is away for a while. It ends when the user wants it
// to, or with --until-done when every group has finished or can never fit, and
// then says how they went; who ends that one before has interrupted it.
#pragma once

#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// Throws Failure and sql::Error.
ExitCode RunWatch(const GetOptions& options, sql::Pool& pool, Console& console);

}  // namespace fluxnetes::services
