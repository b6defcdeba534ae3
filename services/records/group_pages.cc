#include "services/records/group_pages.h"

#include <algorithm>

#include "services/records/group_pages_queries.h"

namespace fluxnetes::services {
namespace {

// Provisional groups count as finished at this time.
constexpr sql::Timestamp kEndOfTime =
    std::chrono::sys_days(std::chrono::year(9999) / 1 / 1);

GroupRow RefusedOf(const sql::Row& row) {
  GroupRow group;
  group.namespace_name = row.Get<std::string>("namespace");
  group.name = row.Get<std::string>("group_name");
  group.queue = row.Get<std::string>("queue");
  group.state = group.shown_state = "refused";
  group.reason = row.Find<std::string>("reason");
  group.arrived = row.Get<int>("arrived");
  group.submitted_at = row.Get<sql::Timestamp>("submitted_at");
  return group;
}

}  // namespace

std::optional<std::vector<std::string>> StatesOf(
    const GroupPageFilter& filter) {
  return filter.states.empty() ? std::nullopt : std::optional(filter.states);
}

sql::Timestamp FinishedSince(const GroupPageFilter& filter) {
  return filter.finished_since.value_or(kEndOfTime);
}

bool WantsRefused(const GroupPageFilter& filter) {
  return filter.states.empty() ||
         std::ranges::find(filter.states, "refused") != filter.states.end();
}

std::vector<GroupRow> ReadGroups(sql::Transaction& transaction,
                                 const std::vector<std::int64_t>& active,
                                 const std::vector<std::int64_t>& others,
                                 sql::Timestamp finished_since) {
  std::vector<GroupRow> groups;
  if (active.empty() && others.empty()) return groups;
  for (const sql::Row row :
       transaction.Run(queries::kReadGroups, active, others, finished_since))
    groups.push_back(ReadGroupRow(row));
  return groups;
}

std::vector<GroupRow> ReadGroupPage(sql::Transaction& transaction,
                                    const GroupPageFilter& filter,
                                    std::int64_t after,
                                    std::optional<std::int64_t> limit) {
  std::vector<std::int64_t> active;
  std::vector<std::int64_t> others;
  for (const sql::Row row : transaction.Run(
           queries::kPageIds, filter.namespace_name, filter.queue,
           StatesOf(filter), filter.finished_since, after, limit, filter.name))
    (row.Get<bool>("active") ? active : others)
        .push_back(row.Get<std::int64_t>("id"));
  return ReadGroups(transaction, active, others, FinishedSince(filter));
}

std::vector<GroupRow> ReadRefusedPage(sql::Transaction& transaction,
                                      const GroupPageFilter& filter,
                                      const std::string& after_namespace,
                                      const std::string& after_name,
                                      std::optional<std::int64_t> limit) {
  std::vector<GroupRow> groups;
  for (const sql::Row row : transaction.Run(
           queries::kPageRefused, filter.namespace_name, filter.queue,
           after_namespace, after_name, limit, filter.name))
    groups.push_back(RefusedOf(row));
  return groups;
}

std::vector<GroupRow> ReadRefused(sql::Transaction& transaction,
                                  const std::vector<std::string>& namespaces,
                                  const std::vector<std::string>& names) {
  std::vector<GroupRow> groups;
  if (names.empty()) return groups;
  for (const sql::Row row :
       transaction.Run(queries::kReadRefused, namespaces, names))
    groups.push_back(RefusedOf(row));
  return groups;
}

}  // namespace fluxnetes::services
