#include "services/grpc_holds/resource_set_messages.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "services/match/placement_graph.h"
#include "services/records/records_queries.h"

namespace fluxnetes::services {
namespace {

PodOnNode PlaceOf(const sql::Row& row) {
  PodOnNode pod;
  pod.node = row.Get<std::string>("node_name");
  pod.parts = row.Find<std::string>("parts").value_or("");
  pod.resources.cpu_milli = row.Get<std::int64_t>("cpu_milli");
  pod.resources.memory_bytes = row.Get<std::int64_t>("memory_bytes");
  if (const auto other = row.Find<std::string>("other")) {
    const nlohmann::json amounts = nlohmann::json::parse(*other);
    for (const auto& [name, amount] : amounts.items())
      pod.resources.SetExtended(name, amount.get<std::int64_t>());
  }
  return pod;
}

}  // namespace

void FillResourceSets(v1::GetGroupResponse& response, std::int64_t group,
                      sql::Transaction& transaction) {
  std::vector<PodOnNode> pods;
  std::map<std::string, std::string> resource_sets;  // by pod
  bool whole_nodes = false;
  for (const sql::Row row :
       transaction.Run(queries::kListResourceSets, group)) {
    pods.push_back(PlaceOf(row));
    whole_nodes = row.Get<bool>("whole_nodes");
    if (auto text = row.Find<std::string>("resource_set"))
      resource_sets[row.Get<std::string>("pod_name")] = *std::move(text);
  }
  for (v1::Member& member : *response.mutable_members())
    if (const auto found = resource_sets.find(member.name());
        found != resource_sets.end())
      member.set_resource_set(found->second);
  if (!pods.empty()) response.set_graph_jgf(PlacementGraph(pods, whole_nodes));
}

}  // namespace fluxnetes::services
