// `fluxnetes account`: creates, changes and deletes accounts (weights, quotas,
// parents). A change takes effect at once, like one made with SQL.
#pragma once

#include <string>

#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/database/audit.h"
#include "services/grammar/options.h"
#include "sql/connection/pool.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::services {

// Creates, changes or deletes an account as the options say, with its row of
// `audit`, which has the reason; the caller commits. Returns what was done:
// "changed". Throws Failure and sql::Error.
std::string ChangeAccount(sql::Transaction& transaction, const Actor& actor,
                          const AccountOptions& options,
                          const std::string& reason = {});

// Throws Failure and sql::Error.
ExitCode RunAccount(const AccountOptions& options, sql::Pool& pool,
                    Console& console);

}  // namespace fluxnetes::services
