// Counters of a pool and its statements, for metrics, and a call for each slow
// statement. Thread-safe.
// Tests: tests/sql/connection/pool_pgtest.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "sql/connection/pool.h"
#include "sql/connection/statement_tally.h"
#include "sql/durations.h"

namespace fluxnetes::sql {

struct PoolCounts {
  int in_use = 0;  // connections at present
  int idle = 0;
  std::uint64_t opened = 0;
  std::uint64_t broken = 0;
  Durations::Counts waits = {};       // by callers that found none free
  Durations::Counts statements = {};  // all statements
  std::vector<StatementCounts> by_name = {};
};

PoolCounts CountsOf(const Pool& pool);

// Call before the first statement of the pool.
void OnSlowStatements(Pool& pool, OnSlowStatement on_slow);

}  // namespace fluxnetes::sql
