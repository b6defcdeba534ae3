// The database for a command: opened and checked, or a Failure with the problem
// and the next step.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "services/config/config.h"
#include "services/console/exit_code.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// Returns the options of a pool for the configured database.
sql::PoolOptions DatabaseOptions(
    const Config& config, std::vector<std::span<const sql::Query>> catalogues);

// Returns a connected pool with these queries prepared; any schema will do.
// Throws Failure (kUsage) and sql::Error.
std::unique_ptr<sql::Pool> ConnectDatabase(
    const Config& config, std::vector<std::span<const sql::Query>> catalogues);

// As ConnectDatabase(), and checks that the schema is this program's version.
// Throws Failure: kUsage, kNoDatabase, kSchema, or kFailed for missing rights.
std::unique_ptr<sql::Pool> OpenDatabase(
    const Config& config, std::vector<std::span<const sql::Query>> catalogues);

// Returns the error in words, with the next step.
Failure Explain(const sql::Error& error, const Config& config);

}  // namespace fluxnetes::services
