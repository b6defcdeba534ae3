#include "services/records/group_changes.h"

#include "services/records/group_list.h"
#include "workers/requests/cancel.h"

namespace fluxnetes::services {
namespace {

workers::HoldOutcome CommitIfDone(sql::Transaction& transaction,
                                  workers::HoldOutcome outcome,
                                  const Actor& actor, const Change& change) {
  if (outcome != workers::HoldOutcome::kDone) return outcome;
  RecordChange(transaction, actor, change);
  transaction.Commit();
  return outcome;
}

}  // namespace

int CancelGroup(sql::Pool& pool, const Actor& actor, const GroupName& name,
                const std::string& reason, sql::Timestamp now) {
  sql::Transaction transaction(pool);
  const int groups = workers::CancelGroup(
      pool, transaction, name.namespace_name, name.name, reason, now);
  if (groups == 0) return 0;
  RecordChange(
      transaction, actor,
      {.verb = "cancel", .object = "group/" + name.Text(), .detail = reason});
  transaction.Commit();
  return groups;
}

workers::HoldOutcome HoldGroup(sql::Pool& pool, const Actor& actor,
                               const GroupName& name, const std::string& reason,
                               sql::Timestamp now) {
  sql::Transaction transaction(pool);
  const auto outcome = workers::HoldGroup(transaction, name.namespace_name,
                                          name.name, reason, now);
  return CommitIfDone(
      transaction, outcome, actor,
      {.verb = "hold", .object = "group/" + name.Text(), .detail = reason});
}

workers::HoldOutcome ReleaseGroup(sql::Pool& pool, const Actor& actor,
                                  const GroupName& name, sql::Timestamp now) {
  sql::Transaction transaction(pool);
  const auto outcome =
      workers::ReleaseGroup(transaction, name.namespace_name, name.name, now);
  return CommitIfDone(transaction, outcome, actor,
                      {.verb = "release", .object = "group/" + name.Text()});
}

workers::PriorityChange SetPriority(sql::Pool& pool, const Actor& actor,
                                    const GroupName& name,
                                    const PriorityRequest& request) {
  sql::Transaction transaction(pool);
  const auto change =
      workers::SetPriority(transaction, name.namespace_name, name.name,
                           request.priority, request.may_raise);
  if (change.outcome != workers::PriorityOutcome::kDone) return change;
  std::string detail =
      request.priority ? std::to_string(*request.priority) : "as its pods";
  if (!request.reason.empty()) detail += ": " + request.reason;
  RecordChange(
      transaction, actor,
      {.verb = "priority", .object = "group/" + name.Text(), .detail = detail});
  transaction.Commit();
  return change;
}

bool IsUnfinished(sql::Pool& pool, const GroupName& name) {
  sql::Transaction transaction(pool, sql::Isolation::kReadOnly);
  GroupFilter filter;
  filter.namespace_name = name.namespace_name;
  filter.name = name.name;
  return !ListGroups(transaction, filter).empty();
}

}  // namespace fluxnetes::services
