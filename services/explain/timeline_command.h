// `fluxnetes timeline`: running groups, reservations and forecasts as a chart
// from now on or as a document.
// Tests: tests/services/records/views_pgtest.cc.
#pragma once

#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// Throws sql::Error.
ExitCode RunTimeline(const TimelineOptions& options, sql::Pool& pool,
                     Console& console);

}  // namespace fluxnetes::services
