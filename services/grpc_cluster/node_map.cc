#include "services/grpc_cluster/node_map.h"

#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "fluxnetes/v1/node_detail.pb.h"
#include "services/records/records_queries.h"

namespace fluxnetes::services {
namespace {

using nlohmann::json;

// In use of all, in thousandths; -1: there is none.
int Thousandths(std::int64_t used, std::int64_t all) {
  return all <= 0 ? -1 : static_cast<int>(used * 1'000 / all);
}

int ShareIn(const sql::Row& row, const std::string& what) {
  return Thousandths(row.Get<std::int64_t>("granted_" + what) +
                         row.Get<std::int64_t>("unmanaged_" + what),
                     row.Get<std::int64_t>(what));
}

int ClosureIn(const sql::Row& row, sql::Timestamp now) {
  constexpr int kOpen = 0;
  constexpr int kMaintenance = 1;
  constexpr int kOther = 2;
  if (row.Find<std::string>("unschedulable")) return kOther;
  const auto from = row.Find<sql::Timestamp>("maintenance_from");
  return from && *from <= now ? kMaintenance : kOpen;
}

// Writes the distinct values in order, and the place of each value.
void FillLevel(const std::vector<std::string>& values,
               google::protobuf::RepeatedPtrField<std::string>& distinct,
               google::protobuf::RepeatedField<int>& places) {
  std::map<std::string, int> place_of;
  for (const std::string& value : values)
    if (!value.empty()) place_of[value] = 0;
  for (auto& [value, place] : place_of) {
    place = distinct.size();
    *distinct.Add() = value;
  }
  for (const std::string& value : values)
    places.Add(value.empty() ? -1 : place_of[value]);
}

void AddOthers(const sql::Row& row, int node,
               std::map<std::string, std::vector<int>>& others) {
  const json all = json::parse(row.Get<std::string>("other"));
  const json granted = json::parse(row.Get<std::string>("granted_other"));
  for (const auto& [name, amount] : all.items()) {
    if (name == "ephemeral-storage") continue;
    std::vector<int>& shares = others[name];
    shares.resize(static_cast<std::size_t>(node), -1);
    shares.push_back(Thousandths(granted.value(name, std::int64_t{0}),
                                 amount.get<std::int64_t>()));
  }
}

}  // namespace

void FillNodeMap(v1::GetNodeMapResponse& response,
                 sql::Transaction& transaction, sql::Timestamp now) {
  transaction.Run(queries::kReadWholeTables);
  const sql::Result rows =
      transaction.Run(queries::kListNodes, std::nullopt, now);
  std::vector<std::string> zones;
  std::vector<std::string> racks;
  std::map<std::string, std::vector<int>> others;
  constexpr std::pair<const char*, const char*> kColumns[] = {
      {"cpu", "cpu_milli"}, {"memory", "memory_bytes"}, {"pods", "pods"}};
  for (const auto& [name, column] : kColumns)
    response.add_resources()->set_name(name);
  for (const sql::Row row : rows) {
    const json labels = json::parse(row.Get<std::string>("labels"));
    zones.push_back(labels.value("topology.kubernetes.io/zone", ""));
    racks.push_back(labels.value("topology.kubernetes.io/rack", ""));
    AddOthers(row, response.nodes_size(), others);
    response.add_nodes(row.Get<std::string>("node_name"));
    response.add_closures(ClosureIn(row, now));
    for (int i = 0; i < 3; ++i)
      response.mutable_resources(i)->add_used(ShareIn(row, kColumns[i].second));
  }
  FillLevel(zones, *response.mutable_zones(), *response.mutable_zone_places());
  FillLevel(racks, *response.mutable_racks(), *response.mutable_rack_places());
  for (auto& [name, shares] : others) {
    shares.resize(static_cast<std::size_t>(response.nodes_size()), -1);
    v1::NodeMapResource& resource = *response.add_resources();
    resource.set_name(name);
    resource.mutable_used()->Add(shares.begin(), shares.end());
  }
}

}  // namespace fluxnetes::services
