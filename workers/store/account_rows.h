// Reads the accounts, and what their groups have used and hold, from the
// database. Throws sql::Error.
// Tests: tests/workers/decision/accounts_pgtest.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sql/connection/transaction.h"
#include "workers/decision/accounts.h"

namespace fluxnetes::workers {

std::vector<Account> ReadAccounts(sql::Transaction& transaction);

// The decayed use of groups of these queues, as last recorded.
UsedByAccounts ReadUse(sql::Transaction& transaction,
                       const std::vector<std::string>& queues);

// The amounts that groups of all other queues hold, in order of their payers.
// Nothing if there is no other queue.
std::optional<std::vector<AccountHolds>> ReadOtherHolds(
    sql::Transaction& transaction, const std::vector<std::string>& queues);

bool HasQuotas(const std::vector<Account>& accounts);

}  // namespace fluxnetes::workers
