#include "workers/usage/usage_roll_up.h"

#include "sql/connection/transaction.h"
#include "workers/usage/usage_queries.h"

namespace fluxnetes::workers {

void UsageRollUp::RunOnce(cluster::Time now) {
  sql::RunAlone(pool_, queries::kRollUpUsage, now);
}

}  // namespace fluxnetes::workers
