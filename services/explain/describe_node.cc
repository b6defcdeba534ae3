#include "services/explain/describe_node.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "cluster/text/quantity.h"
#include "services/console/display_text.h"
#include "services/console/output.h"
#include "services/console/table.h"
#include "services/console/time_text.h"
#include "services/records/node_detail.h"
#include "services/records/records_queries.h"

namespace fluxnetes::services {
namespace {

using OrderedJson = nlohmann::ordered_json;

struct NodeInFull {
  std::string name;
  std::string closed;  // why it accepts no pods; empty: it does
  std::string cpu;     // "3 of 8"
  std::string memory;
  std::string pods;
  DevicesByDriver devices;
  std::vector<NodeGroupRow> groups;
  std::vector<UnmanagedDeviceRow> unmanaged_devices;
  std::vector<MaintenanceRow> maintenance;
  std::string structure;
};

template <typename Format>
std::string InUse(const sql::Row& row, const std::string& what, Format format) {
  return fmt::format("{} of {}",
                     format(row.Get<std::int64_t>("granted_" + what) +
                            row.Get<std::int64_t>("unmanaged_" + what)),
                     format(row.Get<std::int64_t>(what)));
}

NodeInFull ReadNodeInFull(sql::Transaction& transaction,
                          const std::string& name, sql::Timestamp now) {
  const sql::Result rows = transaction.Run(queries::kListNodes, name, now);
  if (rows.empty())
    throw Failure(ExitCode::kNotFound,
                  fmt::format("no node named \"{}\"", Printable(name)),
                  "`fluxnetes get nodes` lists those that there are.");
  const sql::Row row = rows[0];
  return {.name = name,
          .closed = row.Find<std::string>("unschedulable").value_or(""),
          .cpu = InUse(row, "cpu_milli", cluster::FormatCpu),
          .memory = InUse(row, "memory_bytes", cluster::FormatBytes),
          .pods = InUse(row, "pods",
                        [](std::int64_t n) { return std::to_string(n); }),
          .devices = ReadDevicesOfNode(row),
          .groups = ReadGroupsOnNode(transaction, name),
          .unmanaged_devices = ReadUnmanagedDevices(transaction, name),
          .maintenance = ReadMaintenance(transaction, now, name),
          .structure = ReadStructureOfNode(transaction, name)};
}

std::string MomentText(const std::optional<sql::Timestamp>& time,
                       sql::Timestamp now) {
  return time ? Relative(*time, now) : "";
}

void PrintNode(const NodeInFull& node, Console& console) {
  const sql::Timestamp now = console.now();
  const TableStyle style{.columns = console.size().first,
                         .colour = console.colour};
  const auto line = [&](const char* key, const std::string& value) {
    if (!value.empty())
      console.out << fmt::format("{:<17} {}\n", key, Printable(value));
  };
  line("Name:", node.name);
  line("Closed:", node.closed);
  line("CPU:", node.cpu);
  line("Memory:", node.memory);
  line("Pods:", node.pods);
  line("Devices:", InWords(node.devices));
  line("Inside:",
       node.structure.empty() ? "" : "known; `-o json` has it as `structure`");
  Table groups({"GROUP", "STATE", "FROM", "UNTIL", ">PODS", ">CPU", ">MEMORY",
                "INSIDE"});
  for (const NodeGroupRow& group : node.groups) {
    const bool runs = group.kind == "running";
    groups.Add({group.group.Text(), group.kind, MomentText(group.start, now),
                MomentText(group.end, now),
                runs ? std::to_string(group.pods) : "",
                runs ? cluster::FormatCpu(group.cpu_milli) : "",
                runs ? cluster::FormatBytes(group.memory_bytes) : "",
                fmt::format("{}", fmt::join(group.inside, ", "))});
  }
  Table devices({"DEVICE", "GROUP", "STATE"});
  for (const NodeGroupRow& group : node.groups)
    for (const std::string& device : group.devices)
      devices.Add({device, group.group.Text(), group.kind});
  Table unmanaged({"DEVICE", "POD"});
  for (const UnmanagedDeviceRow& each : node.unmanaged_devices)
    unmanaged.Add({each.device, each.namespace_name + "/" + each.pod});
  Table maintenance({">ID", "FROM", "UNTIL", "REASON"});
  for (const MaintenanceRow& window : node.maintenance)
    maintenance.Add({std::to_string(window.id), Relative(window.start, now),
                     MomentText(window.end, now), window.reason});
  if (groups.rows() > 0)
    console.out << "Groups:\n" << groups.IndentedText(style);
  if (devices.rows() > 0)
    console.out << "Devices of groups:\n" << devices.IndentedText(style);
  if (unmanaged.rows() > 0)
    console.out << "Devices of unmanaged pods:\n"
                << unmanaged.IndentedText(style);
  if (maintenance.rows() > 0)
    console.out << "Maintenance:\n" << maintenance.IndentedText(style);
}

OrderedJson TimeToJson(const std::optional<sql::Timestamp>& time) {
  return time ? OrderedJson(Rfc3339(*time)) : OrderedJson();
}

OrderedJson NodeDocument(const NodeInFull& node) {
  OrderedJson document = {
      {"kind", "Node"},
      {"name", node.name},
      {"unschedulable",
       node.closed.empty() ? OrderedJson() : OrderedJson(node.closed)},
      {"devices", OrderedJson::object()},
      {"groups", OrderedJson::array()},
      {"unmanagedDevices", OrderedJson::array()},
      {"maintenance", OrderedJson::array()},
      {"structure",
       node.structure.empty() ? OrderedJson() : OrderedJson(node.structure)}};
  for (const auto& [driver, count] : node.devices)
    document["devices"][driver] = {{"all", count.all},
                                   {"held", count.held},
                                   {"unmanaged", count.unmanaged}};
  for (const UnmanagedDeviceRow& each : node.unmanaged_devices)
    document["unmanagedDevices"].push_back({{"device", each.device},
                                            {"namespace", each.namespace_name},
                                            {"pod", each.pod}});
  for (const NodeGroupRow& group : node.groups)
    document["groups"].push_back({{"id", group.id},
                                  {"namespace", group.group.namespace_name},
                                  {"name", group.group.name},
                                  {"queue", group.queue},
                                  {"size", group.size},
                                  {"state", group.kind},
                                  {"from", TimeToJson(group.start)},
                                  {"until", TimeToJson(group.end)},
                                  {"podsHere", group.pods},
                                  {"cpuMilli", group.cpu_milli},
                                  {"memoryBytes", group.memory_bytes},
                                  {"inside", group.inside},
                                  {"devices", group.devices}});
  for (const MaintenanceRow& window : node.maintenance)
    document["maintenance"].push_back({{"id", window.id},
                                       {"from", Rfc3339(window.start)},
                                       {"until", TimeToJson(window.end)},
                                       {"reason", window.reason}});
  return document;
}

}  // namespace

ExitCode RunDescribeNode(const DescribeOptions& options, sql::Pool& pool,
                         Console& console) {
  sql::Transaction transaction(pool, sql::Isolation::kReadOnly);
  const NodeInFull node =
      ReadNodeInFull(transaction, options.name, console.now());
  if (options.output == OutputFormat::kTable)
    PrintNode(node, console);
  else
    console.out << Write(NodeDocument(node), options.output);
  return ExitCode::kOk;
}

}  // namespace fluxnetes::services
