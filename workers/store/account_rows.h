// Accounts and what their groups have used, as their rows say. Throws
// sql::Error.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sql/connection/transaction.h"
#include "workers/decision/accounts.h"

namespace fluxnetes::workers {

std::vector<Account> ReadAccounts(sql::Transaction& transaction);

// Of groups of these queues, as it was last written.
UsedByAccounts ReadUse(sql::Transaction& transaction,
                       const std::vector<std::string>& queues);

// What groups of all queues but these hold, in order of their payers; nothing:
// there is no other queue.
std::optional<std::vector<AccountHolds>> ReadOtherHolds(
    sql::Transaction& transaction, const std::vector<std::string>& queues);

bool HasQuotas(const std::vector<Account>& accounts);

}  // namespace fluxnetes::workers
