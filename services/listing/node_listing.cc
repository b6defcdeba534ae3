#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cluster/text/quantity.h"
#include "services/console/time_text.h"
#include "services/listing/listing.h"
#include "services/records/node_detail.h"
#include "services/records/records_queries.h"

namespace fluxnetes::services {
namespace {

using OrderedJson = nlohmann::ordered_json;

// Returns "3/4" for used and allocatable, in the unit of `format`.
template <typename Format>
std::string Share(const sql::Row& row, const std::string& what, Format format) {
  const auto granted = row.Get<std::int64_t>("granted_" + what);
  const auto unmanaged = row.Get<std::int64_t>("unmanaged_" + what);
  return fmt::format("{}/{}", format(granted + unmanaged),
                     format(row.Get<std::int64_t>(what)));
}

std::string OtherCell(const OrderedJson& all, const OrderedJson& granted) {
  std::string text;
  for (const auto& [name, amount] : all.items()) {
    if (name == "ephemeral-storage") continue;
    const std::int64_t held =
        granted.contains(name) ? granted[name].get<std::int64_t>() : 0;
    const auto shown = [bytes =
                            name.starts_with("hugepages-")](std::int64_t n) {
      return bytes ? cluster::FormatBytes(n) : std::to_string(n);
    };
    text += fmt::format("{}{} {}/{}", text.empty() ? "" : ", ", name,
                        shown(held), shown(amount.get<std::int64_t>()));
  }
  return text;
}

std::string LabelsCell(const OrderedJson& labels) {
  std::string text;
  for (const auto& [name, value] : labels.items())
    text += fmt::format(
        "{}{}={}", text.empty() ? "" : ",", name,
        value.is_string() ? value.get<std::string>() : value.dump());
  return text;
}

OrderedJson LabelsOf(const sql::Row& row) {
  return OrderedJson::parse(row.Get<std::string>("labels"));
}

// `level` is "zone" or "rack"; empty: the node has none.
std::string LevelIn(const OrderedJson& labels, const std::string& level) {
  return labels.value("topology.kubernetes.io/" + level, "");
}

OrderedJson LevelToJson(const OrderedJson& labels, const std::string& level) {
  const std::string value = LevelIn(labels, level);
  return value.empty() ? OrderedJson() : OrderedJson(value);
}

// The next maintenance; null: none is announced.
OrderedJson MaintenanceToJson(const sql::Row& row) {
  const auto from = row.Find<sql::Timestamp>("maintenance_from");
  if (!from) return {};
  const auto until = row.Find<sql::Timestamp>("maintenance_until");
  const auto reason = row.Find<std::string>("maintenance_reason");
  return {{"from", Rfc3339(*from)},
          {"until", until ? OrderedJson(Rfc3339(*until)) : OrderedJson()},
          {"reason", reason ? OrderedJson(*reason) : OrderedJson()}};
}

Cell StatusOf(const sql::Row& row, sql::Timestamp now) {
  const auto why = row.Find<std::string>("unschedulable");
  if (why) return {*why, Colour::kRed};
  const auto from = row.Find<sql::Timestamp>("maintenance_from");
  if (!from) return {"ready", Colour::kGreen};
  if (*from <= now) return {"drained", Colour::kYellow};
  return {"drained " + Relative(*from, now), Colour::kYellow};
}

OrderedJson NodeToJson(const sql::Row& row) {
  const auto amount = [&](const std::string& what) {
    return OrderedJson{
        {"allocatable", row.Get<std::int64_t>(what)},
        {"unmanaged", row.Get<std::int64_t>("unmanaged_" + what)},
        {"granted", row.Get<std::int64_t>("granted_" + what)}};
  };
  const auto why = row.Find<std::string>("unschedulable");
  const OrderedJson labels = LabelsOf(row);
  return {
      {"name", row.Get<std::string>("node_name")},
      {"unschedulable", why ? OrderedJson(*why) : OrderedJson()},
      {"maintenance", MaintenanceToJson(row)},
      {"zone", LevelToJson(labels, "zone")},
      {"rack", LevelToJson(labels, "rack")},
      {"cpuMilli", amount("cpu_milli")},
      {"memoryBytes", amount("memory_bytes")},
      {"pods", amount("pods")},
      {"other", OrderedJson::parse(row.Get<std::string>("other"))},
      {"grantedOther",
       OrderedJson::parse(row.Get<std::string>("granted_other"))},
      {"devices", OrderedJson::parse(row.Get<std::string>("devices"))},
      {"heldDevices", OrderedJson::parse(row.Get<std::string>("held_devices"))},
      {"unmanagedDevices",
       OrderedJson::parse(row.Get<std::string>("unmanaged_devices"))},
      {"labels", labels},
      {"seenAt", Rfc3339(row.Get<sql::Timestamp>("seen_at"))}};
}

std::vector<Cell> CellsOf(const sql::Row& row, bool wide, sql::Timestamp now) {
  const OrderedJson labels = LabelsOf(row);
  std::vector<Cell> cells = {
      row.Get<std::string>("node_name"),
      StatusOf(row, now),
      LevelIn(labels, "zone"),
      LevelIn(labels, "rack"),
      Share(row, "cpu_milli", cluster::FormatCpu),
      Share(row, "memory_bytes", cluster::FormatBytes),
      Share(row, "pods", [](std::int64_t n) { return std::to_string(n); }),
      OtherCell(OrderedJson::parse(row.Get<std::string>("other")),
                OrderedJson::parse(row.Get<std::string>("granted_other")))};
  if (wide) {
    cells.emplace_back(InWords(ReadDevicesOfNode(row)));
    cells.emplace_back(std::to_string(row.Get<std::int64_t>("unmanaged_pods")));
    cells.emplace_back(LabelsCell(labels));
  }
  return cells;
}

}  // namespace

Listing ListNodesFor(sql::Transaction& transaction, const GetOptions& options,
                     sql::Timestamp now) {
  const bool wide = options.output == OutputFormat::kWide;
  std::vector<std::string> headings = {"NAME", "STATUS",  "ZONE",  "RACK",
                                       ">CPU", ">MEMORY", ">PODS", "OTHER"};
  if (wide)
    headings.insert(headings.end(), {"DEVICES", ">UNMANAGED", "LABELS"});
  Listing listing{"NodeList", "nodes", Table(headings), {}, {}, {}, false};
  if (WantsDocuments(options.output))
    listing.items = std::make_shared<OrderedJson>(OrderedJson::array());
  const std::optional<std::string> name =
      options.name.empty() ? std::nullopt : std::optional(options.name);
  if (!name) transaction.Run(queries::kReadWholeTables);
  for (const sql::Row row : transaction.Run(queries::kListNodes, name, now)) {
    std::vector<Cell> cells = CellsOf(row, wide, now);
    std::string fingerprint;
    for (const Cell& cell : cells) fingerprint += cell.text + "\n";
    listing.names.push_back(cells[0].text);
    listing.fingerprints.push_back(std::move(fingerprint));
    listing.table.Add(std::move(cells));
    if (listing.items) listing.items->push_back(NodeToJson(row));
  }
  return listing;
}

}  // namespace fluxnetes::services
