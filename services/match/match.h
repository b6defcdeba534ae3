// `fluxnetes match`: whether, where and when the pods of a jobspec would be
// placed, by the records of a running scheduler or on the nodes of a file.
// Nothing is submitted.
#pragma once

#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"
#include "sql/connection/pool.h"
#include "workers/simulation/jobspec_match.h"

namespace fluxnetes::services {

// `pool` is that of the database, or null with --nodes. Returns kFailed for a
// jobspec that never fits. Throws Failure, and sql::Error.
ExitCode RunMatch(const MatchOptions& options, sql::Pool* pool,
                  Console& console);

// "now: 8 pods on 4 nodes", "at 12:00, in 5m: ...": the result for people.
// `now` is the start of the scenario.
std::string MatchInWords(const workers::JobspecMatch& match,
                         sql::Timestamp now);

}  // namespace fluxnetes::services
