// The line in the log for a statement that took longer than a second: its name
// and its time, never its values. Waits for locks count.
// Tests: tests/services/serve/status_pgtest.cc.
#pragma once

#include "services/config/log.h"
#include "sql/connection/pool_counts.h"

namespace fluxnetes::services {

// For sql::OnSlowStatements(). `log` must outlive the pool.
sql::OnSlowStatement LogSlowStatements(const Log& log);

}  // namespace fluxnetes::services
