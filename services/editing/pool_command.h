// `fluxnetes pools` and `fluxnetes pool`: lists the pools of the cluster, as
// `get pools` does; creates, changes and deletes pools. A change takes effect
// at once, like one made with SQL.
//
//   pools                                who holds what
//   pool set matlab --total 10           creates it, or changes its total
//   pool set matlab --total 12 --description "floating, until March"
//   pool delete matlab                   unless something holds it
// Tests: tests/services/editing/pool_command_pgtest.cc.
#pragma once

#include <string>

#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/database/audit.h"
#include "services/grammar/options.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// Sets or deletes a pool as the options say, with its row of `audit`, in its
// own transaction. Returns what was done: "created", "changed", "deleted".
// Throws Failure and sql::Error.
std::string ChangePool(sql::Pool& pool, const Actor& actor,
                       const PoolOptions& options, sql::Timestamp now);

// Throws Failure and sql::Error.
ExitCode RunPool(const PoolOptions& options, sql::Pool& pool, Console& console);

}  // namespace fluxnetes::services
