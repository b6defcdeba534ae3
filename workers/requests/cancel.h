// Cancels pod groups, at the wish of a user. It only writes rows; cleanup
// deletes the pods (or what controls them, as the queue's deadline_action says)
// and writes the history when they are gone.
#pragma once

#include <string>

#include "cluster/objects/pod.h"
#include "sql/connection/pool.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::workers {

// All groups of this name that fill or are active. Returns how many there were;
// 0: none, or all of them are being cancelled already. Throws sql::Error.
int CancelGroup(sql::Pool& pool, const std::string& namespace_name,
                const std::string& group_name, const std::string& reason,
                cluster::Time now);

// The same within a transaction of `pool`, which is left to be committed.
int CancelGroup(sql::Pool& pool, sql::Transaction& transaction,
                const std::string& namespace_name,
                const std::string& group_name, const std::string& reason,
                cluster::Time now);

}  // namespace fluxnetes::workers
