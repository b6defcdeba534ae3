// The database as a command finds it: opened and checked, or a Failure that
// says what is wrong and what to do.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "services/config/config.h"
#include "services/console/exit_code.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// Options for a pool on the configured database.
sql::PoolOptions DatabaseOptions(
    const Config& config, std::vector<std::span<const sql::Query>> catalogues);

// A pool with these queries that has reached the database; the schema may be
// any. Throws Failure (kUsage) and sql::Error.
std::unique_ptr<sql::Pool> ConnectDatabase(
    const Config& config, std::vector<std::span<const sql::Query>> catalogues);

// The same, and the schema is the one that this program knows. Throws Failure:
// kUsage, kNoDatabase, kSchema, or kFailed where rights are missing.
std::unique_ptr<sql::Pool> OpenDatabase(
    const Config& config, std::vector<std::span<const sql::Query>> catalogues);

// The error in words, with what to do next.
Failure Explain(const sql::Error& error, const Config& config);

}  // namespace fluxnetes::services
