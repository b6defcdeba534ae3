#include "workers/requests/cancel.h"

#include <vector>

#include "queue/store/work_queue.h"
#include "sql/connection/transaction.h"
#include "workers/loops/group_jobs.h"
#include "workers/requests/cancel_queries.h"
#include "workers/requests/name_lock.h"

namespace fluxnetes::workers {

int CancelGroup(sql::Pool& pool, const std::string& namespace_name,
                const std::string& group_name, const std::string& reason,
                cluster::Time now) {
  sql::Transaction transaction(pool);
  const int groups =
      CancelGroup(pool, transaction, namespace_name, group_name, reason, now);
  if (groups > 0) transaction.Commit();
  return groups;
}

int CancelGroup(sql::Pool& pool, sql::Transaction& transaction,
                const std::string& namespace_name,
                const std::string& group_name, const std::string& reason,
                cluster::Time now) {
  const std::vector namespaces{namespace_name}, names{group_name};
  std::vector<queue::NewJob> cleanups;
  LockGroupsOfName(transaction, namespace_name, group_name);
  const auto filling =
      transaction.Run(queries::kCancelFillingGroups, namespaces, names,
                      std::vector{reason}, now);
  if (!filling.empty())
    cleanups.push_back(CancelFillingJob(namespace_name, group_name, reason));
  for (const sql::Row row : transaction.Run(queries::kCancelActiveGroups,
                                            namespace_name, group_name, reason))
    cleanups.push_back(CancelJob(row.Get<std::int64_t>("id"), reason));
  if (cleanups.empty()) return 0;
  queue::WorkQueue(pool).Insert(transaction, cleanups);
  return static_cast<int>(std::ssize(cleanups));
}

}  // namespace fluxnetes::workers
