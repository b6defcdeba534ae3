// What the page System shows: the database, the replicas, what each leads, and
// the outcomes of checks.
//
// Functions; thread-safe. Throws sql::Error.
// Tests: tests/services/operation/system_report_pgtest.cc.
#pragma once

#include "fluxnetes/v1/system.pb.h"
#include "services/config/config.h"
#include "services/monitoring/health.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::services {

// Adds all but the checks.
void FillSystem(v1::GetSystemResponse& response, sql::Transaction& transaction);

// Adds the checks of this process.
void FillHealth(v1::GetSystemResponse& response, const Health& health);

// Runs the checks of `fluxnetes doctor` and adds them; takes seconds.
void RunCheckup(v1::GetSystemResponse& response, const Config& config);

}  // namespace fluxnetes::services
