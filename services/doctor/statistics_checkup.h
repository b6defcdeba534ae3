// The part of `fluxnetes doctor` that looks at the planner's statistics: which
// tables have changed much since they were last analysed, or never were, and
// whether autovacuum may do that. The scheduler's own statements do not depend
// on statistics; those of people do, and old ones show that nothing is
// vacuumed.
//
// Throws sql::Error.
// Tests: tests/services/doctor/statistics_checkup_pgtest.cc.
#pragma once

#include <chrono>
#include <cstdint>

#include "services/doctor/finding.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::services {

struct StatisticsLimits {
  std::int64_t rows = 1'000;  // fewer changed rows do not matter
  // Autovacuum needs a minute or two for a table that changes fast.
  std::chrono::seconds age = std::chrono::minutes(10);
};

// The pool must have queries::kAllDoctor.
Findings CheckStatistics(sql::Transaction& transaction,
                         const StatisticsLimits& limits = {});

}  // namespace fluxnetes::services
