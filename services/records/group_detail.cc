#include "services/records/group_detail.h"

#include <fmt/format.h>

#include "cluster/json/request_json.h"
#include "cluster/objects/pod.h"
#include "services/console/exit_code.h"
#include "services/records/records_queries.h"
#include "workers/pods/topology_labels.h"

namespace fluxnetes::services {
namespace {

// Returns the requests in words, and sets `topology` to the group's.
std::string NeedsOf(const std::optional<std::string>& text,
                    cluster::GroupTopology& topology) {
  if (!text) return {};
  try {
    const auto request = cluster::PodRequestFromJson(*text);
    topology = cluster::OfGroup(request.rules->topology);
    return cluster::Format(request.resources);
  } catch (const std::exception&) {
    return *text;  // written by another version: returned as it is
  }
}

MemberRow ReadMember(const sql::Row& row, cluster::GroupTopology& topology) {
  MemberRow member;
  member.name = row.Get<std::string>("pod_name");
  member.state = row.Get<std::string>("state");
  member.node = row.Find<std::string>("node_name");
  member.needs = NeedsOf(row.Find<std::string>("request"), topology);
  if (const auto kind = row.Find<std::string>("owner_kind"))
    member.owner =
        *kind + "/" + row.Find<std::string>("owner_name").value_or("");
  member.note = row.Find<std::string>("note");
  member.inside = row.Find<std::string>("inside");
  member.devices = row.Find<std::string>("devices");
  member.created_at = row.Find<sql::Timestamp>("created_at");
  member.bound_at = row.Find<sql::Timestamp>("bound_at");
  member.ended_at = row.Find<sql::Timestamp>("ended_at");
  return member;
}

sql::Result MembersOf(sql::Transaction& transaction, const GroupRow& group) {
  if (group.state == "provisional" || group.state == "refused")
    return transaction.Run(queries::kListProvisionalMembers,
                           group.namespace_name, group.name);
  if (group.state == "finished")
    return transaction.Run(queries::kListFinishedMembers, group.namespace_name,
                           group.name, group.id);
  return transaction.Run(queries::kListMembers, group.id);
}

std::vector<GroupJobRow> JobsOf(sql::Transaction& transaction,
                                const GroupRow& group) {
  std::vector<GroupJobRow> jobs;
  for (const sql::Row row :
       transaction.Run(queries::kListJobsOfGroup, group.id, group.match_job))
    jobs.push_back({row.Get<std::int64_t>("id"), row.Get<std::string>("kind"),
                    row.Get<std::string>("queue"),
                    row.Get<std::string>("state"), row.Get<int>("attempt"),
                    row.Get<int>("max_attempts"),
                    row.Find<std::string>("error")});
  return jobs;
}

}  // namespace

std::optional<GroupDetail> ReadGroup(sql::Transaction& transaction,
                                     const std::string& namespace_name,
                                     const std::string& name,
                                     std::optional<std::int64_t> generation) {
  std::vector<Generation> generations;
  for (const sql::Row row : transaction.Run(queries::kListGenerations,
                                            namespace_name, name, generation))
    generations.push_back({row.Get<std::int64_t>("id"),
                           row.Get<std::string>("state"),
                           row.Find<sql::Timestamp>("ended_at")});
  if (generations.empty()) return std::nullopt;
  const Generation chosen = generations.front();
  GroupFilter filter;
  filter.namespace_name = namespace_name;
  filter.name = name;
  filter.finished_since = sql::Timestamp{};
  filter.after = chosen.id - 1;
  filter.limit = 1;
  const std::vector<GroupRow> found = ListGroups(transaction, filter);
  if (found.empty() || found[0].id != chosen.id) return std::nullopt;
  GroupDetail detail{found[0], {}, {}, {}, {}};
  for (const sql::Row row : MembersOf(transaction, detail.group)) {
    cluster::GroupTopology topology;
    detail.members.push_back(ReadMember(row, topology));
    const bool refused = detail.members.back().state == "refused";
    // While a group fills, some of its pods may not have its topology yet.
    if (!refused && !workers::AsksForNone(topology)) detail.topology = topology;
    if (!refused) detail.topology.pools = topology.pools;
  }
  detail.jobs = JobsOf(transaction, detail.group);
  detail.earlier.assign(generations.begin() + 1, generations.end());
  return detail;
}

GroupDetail RequireGroup(sql::Transaction& transaction, const GroupName& name,
                         std::optional<std::int64_t> generation) {
  std::optional<GroupDetail> detail =
      ReadGroup(transaction, name.namespace_name, name.name, generation);
  if (!detail)
    throw Failure(ExitCode::kNotFound,
                  fmt::format("no group named \"{}\"{}", name.Text(),
                              generation ? " of this generation" : ""),
                  "`fluxnetes get groups -A` lists those that there are; a "
                  "pod without labels is in the group "
                  "fluxnetes-group-NAMESPACE-POD.");
  return *std::move(detail);
}

}  // namespace fluxnetes::services
