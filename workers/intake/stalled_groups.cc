#include "workers/intake/stalled_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sql/faults.h"
#include "workers/intake/stalled_queries.h"
#include "workers/loops/group_jobs.h"
#include "workers/loops/groups_queries.h"

namespace fluxnetes::workers {
namespace {

using Names = std::vector<std::string>;

// "Job/train/UID", as in groups_provisional.makers. Neither kinds nor names
// contain a slash.
std::string KeyOf(const cluster::ObjectName& name) {
  return name.kind + "/" + name.name + "/" + name.uid;
}

cluster::ObjectName NameIn(const std::string& key,
                           const std::string& namespace_name) {
  const std::size_t first = key.find('/');
  const std::size_t last = key.rfind('/');
  return {key.substr(0, first), namespace_name,
          key.substr(first + 1, last - first - 1), key.substr(last + 1)};
}

}  // namespace

bool StalledGroups::RunOnce(cluster::Time now) {
  std::vector<Group> groups = Claim(now);
  if (groups.empty()) return false;
  AskMakers(groups);
  sql::Failpoint("makers-asked");
  Settle(groups, now);
  return std::ssize(groups) == options_.batch;
}

std::vector<StalledGroups::Group> StalledGroups::Claim(cluster::Time now) {
  std::vector<Group> groups;
  sql::Transaction transaction(pool_);
  for (const sql::Row row :
       transaction.Run(queries::kClaimStalledGroups, now, options_.batch)) {
    Group& group = groups.emplace_back();
    group.namespace_name = row.Get<std::string>("namespace");
    group.name = row.Get<std::string>("group_name");
    group.members = row.Get<std::int32_t>("members");
    group.changed_at = row.Get<cluster::Time>("changed_at");
    group.made_by = row.Find<Names>("made_by");
    group.state.size = row.Get<std::int32_t>("group_size");
  }
  if (!groups.empty()) ReadPods(transaction, groups);
  transaction.Commit();
  return groups;
}

void StalledGroups::ReadPods(sql::Transaction& transaction,
                             std::vector<Group>& groups) {
  Names namespaces, names;
  for (const Group& group : groups) {
    namespaces.push_back(group.namespace_name);
    names.push_back(group.name);
  }
  for (const sql::Row row :
       transaction.Run(queries::kReadStalledPods, namespaces, names)) {
    Group& group =
        groups[static_cast<std::size_t>(row.Get<std::int64_t>("place") - 1)];
    if (const auto uid = row.Find<std::string>("owner_uid")) {
      group.controllers.push_back(
          {row.Find<std::string>("owner_kind").value_or(""),
           group.namespace_name,
           row.Find<std::string>("owner_name").value_or(""), *uid});
      group.elsewhere[*uid] = row.Get<std::int32_t>("elsewhere");
    } else {
      group.state.bare_pods = row.Get<std::int32_t>("pods");
    }
  }
  for (Group& group : groups) {
    if (!group.made_by) continue;
    group.state.made_before =
        std::ranges::all_of(group.controllers, [&group](const auto& name) {
          return std::ranges::count(*group.made_by, KeyOf(name)) > 0;
        });
    if (!group.state.made_before) continue;
    group.controllers.clear();
    for (const std::string& key : *group.made_by)
      group.controllers.push_back(NameIn(key, group.namespace_name));
  }
}

void StalledGroups::AskMakers(std::vector<Group>& groups) {
  std::map<std::string, std::size_t> places;  // by UID
  std::vector<cluster::ObjectName> asked;
  for (const Group& group : groups)
    for (const cluster::ObjectName& name : group.controllers)
      if (places.emplace(name.uid, asked.size()).second) asked.push_back(name);
  const auto states = cluster_.ReadControllers(asked);
  for (Group& group : groups)
    for (const cluster::ObjectName& name : group.controllers)
      group.state.makers.push_back({name.kind, name.name,
                                    states[places.at(name.uid)],
                                    group.elsewhere[name.uid]});
}

void StalledGroups::Settle(const std::vector<Group>& groups,
                           cluster::Time now) {
  Names namespaces, names;
  std::vector<cluster::Time> changed;
  std::vector<std::optional<std::int32_t>> rests;
  std::vector<std::optional<std::string>> reasons;
  for (const Group& group : groups) {
    const GroupProspect prospect = ProspectOf(group.state);
    namespaces.push_back(group.namespace_name);
    names.push_back(group.name);
    changed.push_back(group.changed_at);
    rests.emplace_back();
    if (prospect.kind == GroupProspect::Kind::kSmaller && group.members > 0 &&
        prospect.pods == group.members)
      rests.back() = group.members;
    reasons.emplace_back();
    if (!prospect.why.empty()) reasons.back() = prospect.why;
  }
  sql::Transaction transaction(pool_);
  transaction.Run(queries::kLockFillingGroups, namespaces, names, Names());
  std::vector<queue::NewJob> notices;
  for (const sql::Row row :
       transaction.Run(queries::kSettleStalledGroups, namespaces, names,
                       changed, rests, reasons, now))
    notices.push_back(NoticeOf(
        row.Get<std::string>("namespace"), row.Get<std::string>("pod_name"),
        row.Get<std::string>("uid"), row.Get<cluster::Time>("created_at"),
        fmt::format("group {}/{} starts with {} of {} pods: {}",
                    row.Get<std::string>("namespace"),
                    row.Get<std::string>("group_name"),
                    row.Get<std::int32_t>("rest_size"),
                    row.Get<std::int32_t>("group_size"),
                    row.Get<std::string>("reason")),
        "StartsSmaller"));
  if (!notices.empty()) {
    jobs_.Insert(transaction, notices);
    promoter_.Promote(transaction, now);
  }
  sql::Failpoint("makers-before-commit");
  transaction.Commit();
}

}  // namespace fluxnetes::workers
