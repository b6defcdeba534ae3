#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>

#include "services/console/exit_code.h"
#include "services/console/output.h"
#include "services/listing/listing.h"
#include "services/records/group_document.h"
#include "services/records/group_name.h"
#include "services/records/group_search.h"
#include "services/records/group_table.h"

namespace fluxnetes::services {
namespace {

constexpr std::int64_t kTableLimit = 500;
constexpr std::chrono::minutes kFinishedShown{10};
constexpr std::array kStates = {"provisional",   "refused",   "pending",
                                "unsatisfiable", "allocated", "bound",
                                "finished"};

void CheckStates(const std::vector<std::string>& states) {
  for (const std::string& state : states)
    if (std::find(kStates.begin(), kStates.end(), state) == kStates.end())
      throw Failure(
          ExitCode::kUsage, fmt::format("'{}' is no state of a group", state),
          fmt::format("Right would be one of {}.", fmt::join(kStates, ", ")));
}

// Counts the groups that pass the filter. CountGroups splits finished ones by
// result.
std::int64_t CountAll(sql::Transaction& transaction,
                      const GroupFilter& filter) {
  std::int64_t all = 0;
  for (const auto& [state, groups] : CountGroups(transaction, filter)) {
    const bool active = std::ranges::find(kStates, state) != kStates.end();
    const std::string shown = active ? state : "finished";
    if (filter.states.empty() ||
        std::ranges::find(filter.states, shown) != filter.states.end())
      all += groups;
  }
  return all;
}

// Moves the pods beyond an elastic group's size behind that group, if it is
// listed.
void PutBehindGangs(std::vector<GroupRow>& groups) {
  std::map<std::int64_t, std::vector<GroupRow>> behind;
  for (const GroupRow& group : groups) behind[group.id];
  std::vector<GroupRow> others;
  for (GroupRow& group : groups) {
    const auto gang = behind.find(group.gang_id.value_or(0));
    const bool has_gang = group.gang_id && gang != behind.end();
    (has_gang ? gang->second : others).push_back(std::move(group));
  }
  groups.clear();
  for (GroupRow& group : others) {
    const auto grown = behind.find(group.id);
    groups.push_back(std::move(group));
    if (groups.back().id > 0)
      std::ranges::move(grown->second, std::back_inserter(groups));
  }
}

std::string FingerprintOf(const GroupRow& group) {
  return fmt::format("{} {} {} {} {} {} {}", group.id, group.shown_state,
                     group.arrived, group.bound + group.succeeded, group.failed,
                     group.grown, group.reason.value_or(""));
}

// Whether `a` comes before `b`.
using Before = bool (*)(const GroupRow& a, const GroupRow& b);

template <auto kField>
bool ByField(const GroupRow& a, const GroupRow& b) {
  return a.*kField < b.*kField;
}

bool ByName(const GroupRow& a, const GroupRow& b) {
  return std::tie(a.namespace_name, a.name) <
         std::tie(b.namespace_name, b.name);
}

std::optional<sql::Timestamp> StartOf(const GroupRow& group) {
  return group.allocated_at ? group.allocated_at : group.estimated_start;
}

bool ByStart(const GroupRow& a, const GroupRow& b) {
  return StartOf(a) < StartOf(b);
}

struct Column {
  const char* name;
  Before before;
  // Groups without a value come last either way; null: each has one.
  bool (*has_value)(const GroupRow& group) = nullptr;
};

constexpr Column kColumns[] = {
    {"name", ByName},
    {"state", ByField<&GroupRow::shown_state>},
    {"size", ByField<&GroupRow::size>},
    {"queue", ByField<&GroupRow::queue>},
    {"priority", ByField<&GroupRow::priority>,
     [](const GroupRow& group) { return group.priority.has_value(); }},
    {"submitted", ByField<&GroupRow::submitted_at>},
    {"start", ByStart,
     [](const GroupRow& group) { return StartOf(group).has_value(); }}};

const Column& ColumnOf(const std::string& name) {
  std::string names;
  for (const Column& column : kColumns) {
    if (name == column.name) return column;
    names += (names.empty() ? "" : ", ") + std::string(column.name);
  }
  throw Failure(ExitCode::kUsage,
                fmt::format("groups have no order by '{}'", name),
                fmt::format("Right would be one of {}.", names));
}

}  // namespace

bool WantsDocuments(OutputFormat format) {
  return format == OutputFormat::kJson || format == OutputFormat::kYaml;
}

void SearchAndSort(std::vector<GroupRow>& groups, const GetOptions& options) {
  if (options.search) {
    const std::string words = LowerCase(*options.search);
    std::erase_if(groups, [&words](const GroupRow& group) {
      return SearchedText(group).find(words) == std::string::npos;
    });
  }
  if (!options.order) return;
  const Column& column = ColumnOf(*options.order);
  std::ranges::stable_sort(groups, [&](const GroupRow& a, const GroupRow& b) {
    if (column.has_value != nullptr &&
        column.has_value(a) != column.has_value(b))
      return column.has_value(a);
    return options.descending ? column.before(b, a) : column.before(a, b);
  });
}

GroupFilter FilterOf(const GetOptions& options, sql::Timestamp now) {
  CheckStates(options.states);
  const bool table = options.output == OutputFormat::kTable ||
                     options.output == OutputFormat::kWide;
  GroupFilter filter;
  filter.namespace_name = options.scope;
  filter.queue = options.queue;
  filter.states = options.states;
  filter.after = options.after;
  filter.limit = options.limit.value_or(table ? kTableLimit : 0);
  if (*filter.limit == 0) filter.limit.reset();
  if (table && options.after == 0 && !options.order)
    filter.order = GroupOrder::kLine;
  if (options.order && options.after != 0)
    throw Failure(ExitCode::kUsage, "--after goes by ids, --order does not",
                  "Use --limit 0 to have all groups in that order.");
  if (!options.name.empty()) {
    const bool qualified = options.name.find('/') != std::string::npos;
    const GroupName name = ParseGroupName(options.name, "");
    filter.name = name.name;
    if (qualified) filter.namespace_name = name.namespace_name;
  }
  const auto back = options.finished.value_or(kFinishedShown);
  if (back.count() > 0) filter.finished_since = now - back;
  return filter;
}

Listing ListGroupsFor(sql::Transaction& transaction, const GetOptions& options,
                      GroupFilter filter, sql::Timestamp now) {
  const std::optional<std::int64_t> limit = filter.limit;
  // Which groups are the first is known when all are there.
  const bool reads_all = options.search || options.order;
  filter.limit.reset();
  if (limit && !reads_all) filter.limit = *limit + 1;
  std::vector<GroupRow> groups = ListGroups(transaction, filter);
  SearchAndSort(groups, options);
  const std::int64_t found = std::ssize(groups);
  const bool more = limit && found > *limit;
  if (more) groups.resize(static_cast<std::size_t>(*limit));
  if (filter.order == GroupOrder::kLine) PutBehindGangs(groups);
  Listing listing{
      "GroupList",
      "groups",
      GroupTable(groups, {.namespaces = !filter.namespace_name,
                          .wide = options.output == OutputFormat::kWide,
                          .now = now}),
      {},
      {},
      {},
      more};
  if (more && reads_all)
    listing.beyond = found - *limit;
  else if (more && !filter.name && filter.after == 0)
    listing.beyond = CountAll(transaction, filter) - *limit;
  for (const GroupRow& group : groups) {
    listing.names.push_back(group.namespace_name + "/" + group.name);
    listing.fingerprints.push_back(FingerprintOf(group));
  }
  if (WantsDocuments(options.output)) {
    listing.items = std::make_shared<nlohmann::ordered_json>(
        nlohmann::ordered_json::array());
    for (const GroupRow& group : groups)
      listing.items->push_back(ToJson(group));
  }
  return listing;
}

}  // namespace fluxnetes::services
