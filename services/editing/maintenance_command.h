// `fluxnetes drain` and `fluxnetes undrain`: announces maintenance of nodes,
// and withdraws it.
//
//   drain n1 n2 --from 2026-01-31T12:00:00Z --until +4h --reason "new disks"
//   drain rack=r7
//   undrain n1        undrain rack=r7        undrain --id 3
// Tests: tests/services/editing/drain_pgtest.cc.
#pragma once

#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// Maintenance of a node that does not exist (yet) is announced all the same,
// with a warning. Throws Failure (kUsage) for an invalid word or time,
// sql::Error.
ExitCode RunDrain(const DrainOptions& options, sql::Pool& pool,
                  Console& console);

// Returns kNotFound if one of them has no maintenance. Throws as RunDrain().
ExitCode RunUndrain(const DrainOptions& options, sql::Pool& pool,
                    Console& console);

}  // namespace fluxnetes::services
