// Locks the groups of a name, filling and active ones, in the order in which
// all lock them (workers/loops/groups.sql), for a change at a user's request.
//
// Throws sql::Error.
// Tests: tests/workers/requests/holds_pgtest.cc.
#pragma once

#include <string>

#include "sql/connection/transaction.h"

namespace fluxnetes::workers {

void LockGroupsOfName(sql::Transaction& transaction,
                      const std::string& namespace_name,
                      const std::string& group_name);

}  // namespace fluxnetes::workers
