#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "services/console/exit_code.h"
#include "services/console/output.h"
#include "services/listing/listing.h"
#include "services/records/group_document.h"
#include "services/records/group_name.h"
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

}  // namespace

bool WantsDocuments(OutputFormat format) {
  return format == OutputFormat::kJson || format == OutputFormat::kYaml;
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
  if (table && options.after == 0) filter.order = GroupOrder::kLine;
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
  if (limit) filter.limit = *limit + 1;
  std::vector<GroupRow> groups = ListGroups(transaction, filter);
  const bool more = limit && static_cast<std::int64_t>(groups.size()) > *limit;
  if (more) groups.pop_back();
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
  if (more && !filter.name && filter.after == 0)
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
