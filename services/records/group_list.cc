#include "services/records/group_list.h"

#include <iterator>
#include <tuple>
#include <utility>

#include "services/records/line_queries.h"
#include "services/records/records_queries.h"

namespace fluxnetes::services {
namespace {

std::vector<GroupRow> ListById(sql::Transaction& transaction,
                               const GroupFilter& filter) {
  std::vector<GroupRow> groups;
  if (filter.after <= 0 && WantsRefused(filter))
    groups = ReadRefusedPage(transaction, filter, "", "", filter.limit);
  std::optional<std::int64_t> left = filter.limit;
  if (left) *left -= std::ssize(groups);
  std::vector<std::int64_t> pending;
  for (GroupRow& group :
       ReadGroupPage(transaction, filter, filter.after, left)) {
    if (group.state == "pending") pending.push_back(group.id);
    group.position.reset();
    groups.push_back(std::move(group));
  }
  if (pending.empty()) return groups;
  std::map<std::int64_t, std::int64_t> places;
  for (const sql::Row row : transaction.Run(queries::kPlacesInLine, pending))
    places[row.Get<std::int64_t>("group_id")] =
        row.Get<std::int64_t>("position");
  for (GroupRow& group : groups)
    if (const auto place = places.find(group.id); place != places.end())
      group.position = place->second;
  return groups;
}

struct Page {
  std::vector<std::int64_t> active, others;
  std::vector<std::string> refused_namespaces, refused_names;
};

Page PageOf(const sql::Result& rows) {
  Page page;
  for (const sql::Row row : rows) {
    const auto id = row.Get<std::int64_t>("id");
    if (id == 0) {
      page.refused_namespaces.push_back(row.Get<std::string>("namespace"));
      page.refused_names.push_back(row.Get<std::string>("group_name"));
    } else {
      (row.Get<bool>("active") ? page.active : page.others).push_back(id);
    }
  }
  return page;
}

std::vector<GroupRow> ListLine(sql::Transaction& transaction,
                               const GroupFilter& filter) {
  const sql::Timestamp since = FinishedSince(filter);
  const sql::Result rows =
      transaction.Run(queries::kListLine, filter.namespace_name, filter.name,
                      filter.queue, StatesOf(filter), since, filter.limit);
  const Page page = PageOf(rows);
  using Key = std::tuple<std::int64_t, std::string, std::string>;
  std::map<Key, GroupRow> read;
  const auto take = [&read](std::vector<GroupRow> groups) {
    for (GroupRow& group : groups) {
      Key key(group.id, group.namespace_name, group.name);
      read.emplace(std::move(key), std::move(group));
    }
  };
  take(ReadGroups(transaction, page.active, page.others, since));
  take(ReadRefused(transaction, page.refused_namespaces, page.refused_names));
  std::vector<GroupRow> groups;
  for (const sql::Row row : rows) {
    const auto found = read.find({row.Get<std::int64_t>("id"),
                                  row.Get<std::string>("namespace"),
                                  row.Get<std::string>("group_name")});
    if (found == read.end()) continue;  // ended meanwhile
    groups.push_back(std::move(found->second));
    groups.back().position = row.Find<std::int64_t>("position");
  }
  return groups;
}

}  // namespace

std::vector<GroupRow> ListGroups(sql::Transaction& transaction,
                                 const GroupFilter& filter) {
  return filter.order == GroupOrder::kLine ? ListLine(transaction, filter)
                                           : ListById(transaction, filter);
}

std::map<std::string, std::int64_t> CountGroups(sql::Transaction& transaction,
                                                const GroupFilter& filter) {
  std::map<std::string, std::int64_t> counts;
  for (const sql::Row row :
       transaction.Run(queries::kCountGroups, filter.namespace_name,
                       filter.queue, filter.finished_since))
    counts[row.Get<std::string>("state")] = row.Get<std::int64_t>("groups");
  return counts;
}

FinishedSummary SummarizeFinished(sql::Transaction& transaction,
                                  const GroupFilter& filter) {
  const sql::Result result =
      transaction.Run(queries::kSummarizeFinished, filter.namespace_name,
                      filter.queue, filter.finished_since);
  const sql::Row row = result[0];
  return {row.Get<std::int64_t>("groups"), row.Get<std::int64_t>("pods"),
          row.Find<double>("wait_p50"), row.Find<double>("wait_p95"),
          row.Find<double>("makespan")};
}

}  // namespace fluxnetes::services
