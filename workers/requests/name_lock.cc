#include "workers/requests/name_lock.h"

#include <vector>

#include "workers/loops/groups_queries.h"

namespace fluxnetes::workers {

void LockGroupsOfName(sql::Transaction& transaction,
                      const std::string& namespace_name,
                      const std::string& group_name) {
  const std::vector namespaces{namespace_name}, names{group_name};
  const std::vector<std::string> no_pods;
  transaction.Run(queries::kLockFillingGroups, namespaces, names, no_pods);
  transaction.Run(queries::kLockActiveGroups, no_pods, namespaces, names,
                  std::vector<std::int64_t>());
}

}  // namespace fluxnetes::workers
