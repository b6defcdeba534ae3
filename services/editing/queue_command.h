// `fluxnetes queue`: creates, changes and deletes scheduling queues. A change
// takes effect at once, like one made with SQL.
#pragma once

#include <string>

#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/database/audit.h"
#include "services/grammar/options.h"
#include "sql/connection/pool.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::services {

// Creates, changes or deletes a queue as the options say, with its row of
// `audit`, which has the reason; the caller commits. Returns what was done:
// "changed". Throws Failure and sql::Error.
std::string ChangeQueue(sql::Transaction& transaction, const Actor& actor,
                        const QueueOptions& options,
                        const std::string& reason = {});

// Throws Failure and sql::Error.
ExitCode RunQueue(const QueueOptions& options, sql::Pool& pool,
                  Console& console);

}  // namespace fluxnetes::services
