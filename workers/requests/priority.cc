#include "workers/requests/priority.h"

#include "workers/requests/name_lock.h"
#include "workers/requests/priority_queries.h"

namespace fluxnetes::workers {

PriorityChange SetPriority(sql::Transaction& transaction,
                           const std::string& namespace_name,
                           const std::string& group_name,
                           std::optional<std::int32_t> priority,
                           bool may_raise) {
  LockGroupsOfName(transaction, namespace_name, group_name);
  PriorityChange change{.outcome = PriorityOutcome::kUnknown};
  for (const sql::Row row :
       transaction.Run(queries::kReadPriorities, namespace_name, group_name)) {
    if (!row.Get<bool>("waits")) {
      if (change.outcome == PriorityOutcome::kUnknown)
        change.outcome = PriorityOutcome::kStarted;
      continue;
    }
    change.outcome = PriorityOutcome::kDone;
    change.of_pods = row.Get<std::int32_t>("of_pods");
    if (!may_raise && priority && *priority > change.of_pods)
      return {.outcome = PriorityOutcome::kTooHigh, .of_pods = change.of_pods};
  }
  if (change.outcome != PriorityOutcome::kDone) return change;
  change.priority = priority;
  transaction.Run(queries::kSetFillingPriority, namespace_name, group_name,
                  priority);
  for (const sql::Row row : transaction.Run(
           queries::kSetPriorities, namespace_name, group_name, priority))
    change.priority = row.Get<std::int32_t>("priority");
  return change;
}

}  // namespace fluxnetes::workers
