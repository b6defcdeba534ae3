#include "services/records/node_detail.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "services/records/records_queries.h"

namespace fluxnetes::services {
namespace {

NodeGroupRow GroupOnNode(const sql::Row& row) {
  NodeGroupRow group;
  group.kind = row.Get<std::string>("kind");
  group.id = row.Get<std::int64_t>("id");
  group.group = {row.Get<std::string>("namespace"),
                 row.Get<std::string>("group_name")};
  group.queue = row.Get<std::string>("queue");
  group.size = row.Get<int>("group_size");
  group.start = row.Find<sql::Timestamp>("starts_at");
  group.end = row.Find<sql::Timestamp>("ends_at");
  const auto duration = row.Find<std::int64_t>("duration_seconds");
  if (group.kind != "running" && group.start && duration)
    group.end = *group.start + std::chrono::seconds(*duration);
  group.pods = row.Get<int>("pods");
  group.cpu_milli = row.Get<std::int64_t>("cpu_milli");
  group.memory_bytes = row.Get<std::int64_t>("memory_bytes");
  group.inside = row.Get<std::vector<std::string>>("inside");
  group.devices = row.Get<std::vector<std::string>>("devices");
  return group;
}

MaintenanceRow MaintenanceIn(const sql::Row& row) {
  MaintenanceRow window;
  window.id = row.Get<std::int64_t>("id");
  if (auto nodes = row.Find<std::vector<std::string>>("nodes"))
    window.nodes = *std::move(nodes);
  else
    window.labels = nlohmann::json::parse(row.Get<std::string>("node_selector"))
                        .get<std::map<std::string, std::string>>();
  window.start = row.Get<sql::Timestamp>("starts_at");
  window.end = row.Find<sql::Timestamp>("ends_at");
  window.reason = row.Find<std::string>("reason").value_or("");
  window.made = row.Get<sql::Timestamp>("made_at");
  window.known_nodes = row.Get<std::int64_t>("known_nodes");
  window.groups_in_the_way = row.Get<std::int64_t>("groups");
  return window;
}

}  // namespace

DevicesByDriver ReadDevicesOfNode(const sql::Row& row) {
  DevicesByDriver devices;
  const auto all = nlohmann::json::parse(row.Get<std::string>("devices"));
  for (const auto& [driver, count] : all.items())
    devices[driver].all = count.get<std::int64_t>();
  const auto held = nlohmann::json::parse(row.Get<std::string>("held_devices"));
  for (const auto& [driver, count] : held.items())
    devices[driver].held = count.get<std::int64_t>();
  const auto others =
      nlohmann::json::parse(row.Get<std::string>("unmanaged_devices"));
  for (const auto& [driver, count] : others.items())
    devices[driver].unmanaged = count.get<std::int64_t>();
  return devices;
}

std::string InWords(const DevicesByDriver& devices) {
  std::string text;
  for (const auto& [driver, count] : devices) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", driver,
                        count.held + count.unmanaged);
    if (count.all > 0) text += fmt::format("/{}", count.all);
  }
  return text;
}

std::vector<NodeGroupRow> ReadGroupsOnNode(sql::Transaction& transaction,
                                           const std::string& node) {
  std::vector<NodeGroupRow> groups;
  for (const sql::Row row : transaction.Run(queries::kListGroupsOnNode, node))
    groups.push_back(GroupOnNode(row));
  return groups;
}

std::vector<UnmanagedDeviceRow> ReadUnmanagedDevices(
    sql::Transaction& transaction, const std::string& node) {
  std::vector<UnmanagedDeviceRow> devices;
  for (const sql::Row row :
       transaction.Run(queries::kListUnmanagedDevices, node))
    devices.push_back({row.Get<std::string>("device"),
                       row.Get<std::string>("namespace"),
                       row.Get<std::string>("pod")});
  return devices;
}

std::vector<MaintenanceRow> ReadMaintenance(
    sql::Transaction& transaction, sql::Timestamp now,
    const std::optional<std::string>& node) {
  std::vector<MaintenanceRow> all;
  for (const sql::Row row :
       transaction.Run(queries::kListMaintenance, now, node))
    all.push_back(MaintenanceIn(row));
  return all;
}

std::string ReadStructureOfNode(sql::Transaction& transaction,
                                const std::string& node) {
  const sql::Result rows = transaction.Run(queries::kReadStructureOfNode, node);
  return rows.empty() ? "" : rows[0].Get<std::string>("structure");
}

}  // namespace fluxnetes::services
