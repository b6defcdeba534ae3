#include "workers/requests/hold.h"

#include <optional>

#include "sql/connection/transaction.h"
#include "workers/requests/hold_queries.h"
#include "workers/requests/name_lock.h"

namespace fluxnetes::workers {
namespace {

bool AnyActive(sql::Transaction& transaction, const std::string& namespace_name,
               const std::string& group_name) {
  return transaction
             .Run(queries::kCountActiveGroups, namespace_name, group_name)[0]
             .Get<std::int64_t>("groups") > 0;
}

}  // namespace

HoldOutcome HoldGroup(sql::Pool& pool, const std::string& namespace_name,
                      const std::string& group_name, const std::string& reason,
                      cluster::Time now) {
  sql::Transaction transaction(pool);
  const HoldOutcome outcome =
      HoldGroup(transaction, namespace_name, group_name, reason, now);
  if (outcome == HoldOutcome::kDone) transaction.Commit();
  return outcome;
}

HoldOutcome HoldGroup(sql::Transaction& transaction,
                      const std::string& namespace_name,
                      const std::string& group_name, const std::string& reason,
                      cluster::Time now) {
  const auto why = reason.empty() ? std::nullopt : std::optional(reason);
  LockGroupsOfName(transaction, namespace_name, group_name);
  const bool filling = !transaction
                            .Run(queries::kHoldFillingGroup, namespace_name,
                                 group_name, why, now)
                            .empty();
  const bool waiting =
      !transaction
           .Run(queries::kHoldGroups, namespace_name, group_name, why, now)
           .empty();
  if (!filling && !waiting) {
    return AnyActive(transaction, namespace_name, group_name)
               ? HoldOutcome::kStarted
               : HoldOutcome::kUnknown;
  }
  return HoldOutcome::kDone;
}

HoldOutcome ReleaseGroup(sql::Pool& pool, const std::string& namespace_name,
                         const std::string& group_name, cluster::Time now) {
  sql::Transaction transaction(pool);
  const HoldOutcome outcome =
      ReleaseGroup(transaction, namespace_name, group_name, now);
  if (outcome == HoldOutcome::kDone) transaction.Commit();
  return outcome;
}

HoldOutcome ReleaseGroup(sql::Transaction& transaction,
                         const std::string& namespace_name,
                         const std::string& group_name, cluster::Time now) {
  LockGroupsOfName(transaction, namespace_name, group_name);
  const bool filling =
      !transaction
           .Run(queries::kReleaseFillingGroup, namespace_name, group_name, now)
           .empty();
  const bool waiting =
      !transaction.Run(queries::kReleaseGroups, namespace_name, group_name, now)
           .empty();
  if (!filling && !waiting) {
    const bool known =
        AnyActive(transaction, namespace_name, group_name) ||
        transaction
            .Run(queries::kFindFillingGroup, namespace_name, group_name)[0]
            .Get<bool>("any");
    return known ? HoldOutcome::kNotHeld : HoldOutcome::kUnknown;
  }
  return HoldOutcome::kDone;
}

}  // namespace fluxnetes::workers
