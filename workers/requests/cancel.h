// Cancels pod groups at a user's request. It only writes rows; cleanup deletes
// the pods (or their controllers, as the queue's deadline_action says) and
// writes the history once they are gone.
#pragma once

#include <string>

#include "cluster/objects/pod.h"
#include "sql/connection/pool.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::workers {

// Cancels all groups of this name, whether they fill or are active. Returns
// their number; 0 if there are none or all are being cancelled already. Throws
// sql::Error.
int CancelGroup(sql::Pool& pool, const std::string& namespace_name,
                const std::string& group_name, const std::string& reason,
                cluster::Time now);

// The same within a transaction of `pool`, which the caller commits.
int CancelGroup(sql::Pool& pool, sql::Transaction& transaction,
                const std::string& namespace_name,
                const std::string& group_name, const std::string& reason,
                cluster::Time now);

}  // namespace fluxnetes::workers
