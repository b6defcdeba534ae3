#include "services/explain/group_explanation.h"

#include <algorithm>

#include "services/explain/explain_queries.h"
#include "services/simulate/simulation_snapshot.h"

namespace fluxnetes::services {
namespace {

constexpr std::int64_t kShown = 5;

// True for groups in the pending order and for unsatisfiable ones.
bool WaitsForNodes(const GroupRow& group) {
  return Waits(group) && (group.state == "unsatisfiable" ||
                          group.phase == "queued" || group.phase == "reserved");
}

void ReadBefore(sql::Transaction& transaction, GroupExplanation& explanation) {
  const GroupRow& group = explanation.detail.group;
  if (!group.position) return;
  explanation.before = *group.position - 1;
  if (explanation.before == 0) return;
  for (const sql::Row row : transaction.Run(queries::kListBefore, group.queue,
                                            *group.position, kShown))
    explanation.first.push_back(
        {row.Get<std::string>("namespace") + "/" +
             row.Get<std::string>("group_name"),
         row.Get<int>("group_size"), row.Get<std::int64_t>("position"),
         row.Get<std::string>("phase"), row.Get<std::string>("shown_state"),
         row.Find<sql::Timestamp>("estimated_start"),
         row.Find<std::string>("estimate")});
}

void ReadPools(sql::Transaction& transaction, GroupExplanation& explanation) {
  const GroupRow& group = explanation.detail.group;
  if (!Waits(group) || group.has_started) return;
  for (const sql::Row row :
       transaction.Run(queries::kListPoolsOfGroup, group.id)) {
    PoolStanding& pool = explanation.pools.emplace_back();
    pool.name = row.Get<std::string>("pool");
    pool.needs = row.Get<std::int64_t>("needs");
    pool.total = row.Find<std::int64_t>("total");
    pool.free = row.Find<std::int64_t>("free").value_or(0);
    if (const auto holder = row.Find<std::string>("holder"))
      pool.next = Holder{*holder, row.Find<sql::Timestamp>("ends_at")};
  }
}

NodeRecords ReadNodeRecords(sql::Transaction& transaction,
                            const GroupRow& group) {
  NodeRecords records;
  for (const sql::Row row : transaction.Run(queries::kListClosedNodes))
    records.closed[row.Get<std::string>("node_name")] =
        row.Get<std::string>("unschedulable");
  if (!group.position) return records;
  for (const sql::Row row : transaction.Run(queries::kListReservedBefore,
                                            group.queue, *group.position))
    records.reserved[row.Get<std::string>("node_name")] =
        row.Get<std::string>("group_name");
  return records;
}

void ReadHolders(sql::Transaction& transaction,
                 const std::vector<std::string>& nodes,
                 GroupExplanation& explanation) {
  for (const sql::Row row : transaction.Run(
           queries::kListHolders, nodes, kShown, explanation.detail.group.id)) {
    explanation.holders = row.Get<std::int64_t>("holders");
    explanation.endless = row.Get<std::int64_t>("endless");
    explanation.first_to_end.push_back({row.Get<std::string>("namespace") +
                                            "/" +
                                            row.Get<std::string>("group_name"),
                                        row.Find<sql::Timestamp>("ends_at")});
  }
}

// Returns the nodes that the pods could use if they were empty.
std::vector<std::string> UsableIn(const std::vector<NodesForPods>& all) {
  std::vector<std::string> usable;
  for (const NodesForPods& pods : all)
    for (const NodeVerdict& verdict : pods.verdicts)
      if (verdict.kind == "free" || verdict.kind == "room" ||
          verdict.kind == "maintenance" || verdict.kind == "reserved" ||
          verdict.kind == "devices")
        usable.insert(usable.end(), verdict.nodes.begin(), verdict.nodes.end());
  std::ranges::sort(usable);
  usable.erase(std::unique(usable.begin(), usable.end()), usable.end());
  return usable;
}

std::vector<NodesForPods> JudgeAll(const workers::Scenario& scenario, int group,
                                   const NodeRecords& records) {
  std::vector<NodesForPods> all;
  const auto shape = scenario.groups[static_cast<std::size_t>(group)].shape;
  for (const workers::Scenario::Pods& pods :
       scenario.shapes[static_cast<std::size_t>(shape)]) {
    cluster::Resources needs =
        scenario.requests[static_cast<std::size_t>(pods.request)]
            .request.resources;
    needs.pods = 0;
    all.push_back({cluster::Format(needs), pods.count,
                   JudgeNodes(scenario, group, pods.request, records)});
  }
  return all;
}

}  // namespace

GroupExplanation ExplainGroup(sql::Pool& pool, const GroupName& name,
                              sql::Timestamp now,
                              std::optional<std::chrono::milliseconds> most) {
  GroupExplanation explanation;
  {
    sql::Transaction transaction(pool, sql::Isolation::kReadOnly);
    explanation.detail = RequireGroup(transaction, name, std::nullopt);
    ReadBefore(transaction, explanation);
    ReadPools(transaction, explanation);
  }
  const GroupRow& group = explanation.detail.group;
  if (!WaitsForNodes(group)) return explanation;
  const std::int64_t begin =
      std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
  const Snapshot snapshot = ReadSnapshot(pool, begin);
  const std::optional<int> number = snapshot.WaitingPartOf(group.id);
  if (!number) return explanation;
  {
    sql::Transaction transaction(pool, sql::Isolation::kReadOnly);
    explanation.nodes = JudgeAll(snapshot.scenario, *number,
                                 ReadNodeRecords(transaction, group));
    ReadHolders(transaction, UsableIn(explanation.nodes), explanation);
  }
  // A pod beyond the size of an elastic group starts and ends with that group.
  if (!most || group.gang) return explanation;
  ToldStart told{.at = {}, .approximate = group.estimate == "approximate"};
  if (group.estimated_start)
    told.at = std::chrono::floor<std::chrono::seconds>(
                  group.estimated_start->time_since_epoch())
                  .count();
  explanation.prospects =
      FindProspects(snapshot.scenario, *number, told, *most);
  return explanation;
}

}  // namespace fluxnetes::services
