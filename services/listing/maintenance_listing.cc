#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "services/console/time_text.h"
#include "services/listing/listing.h"
#include "services/records/group_table.h"
#include "services/records/records_queries.h"

namespace fluxnetes::services {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t kNamesShown = 4;

// Returns "n1,n2", "zone=a", "all".
std::string NodesText(const sql::Row& row) {
  if (const auto nodes = row.Find<std::vector<std::string>>("nodes"))
    return ShownNodes(*nodes, kNamesShown);
  std::string text;
  const auto labels = OrderedJson::parse(row.Get<std::string>("node_selector"));
  for (const auto& [key, value] : labels.items())
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", key,
                        value.get<std::string>());
  return text.empty() ? "all" : text;
}

OrderedJson MaintenanceDocument(const sql::Row& row) {
  const auto nodes = row.Find<std::vector<std::string>>("nodes");
  const auto until = row.Find<sql::Timestamp>("ends_at");
  const auto reason = row.Find<std::string>("reason");
  return {{"id", row.Get<std::int64_t>("id")},
          {"nodes", nodes ? OrderedJson(*nodes) : OrderedJson()},
          {"nodeSelector",
           nodes ? OrderedJson()
                 : OrderedJson::parse(row.Get<std::string>("node_selector"))},
          {"from", Rfc3339(row.Get<sql::Timestamp>("starts_at"))},
          {"until", until ? OrderedJson(Rfc3339(*until)) : OrderedJson()},
          {"reason", reason ? OrderedJson(*reason) : OrderedJson()},
          {"knownNodes", row.Get<std::int64_t>("known_nodes")},
          {"groupsInTheWay", row.Get<std::int64_t>("groups")},
          {"madeAt", Rfc3339(row.Get<sql::Timestamp>("made_at"))}};
}

std::vector<Cell> MaintenanceCells(const sql::Row& row, sql::Timestamp now) {
  const auto from = row.Get<sql::Timestamp>("starts_at");
  const auto until = row.Find<sql::Timestamp>("ends_at");
  return {std::to_string(row.Get<std::int64_t>("id")),
          from <= now ? Cell("begun", Colour::kYellow) : Cell("announced"),
          NodesText(row),
          Relative(from, now),
          until ? Relative(*until, now) : "",
          std::to_string(row.Get<std::int64_t>("known_nodes")),
          std::to_string(row.Get<std::int64_t>("groups")),
          row.Find<std::string>("reason").value_or("")};
}

}  // namespace

Listing ListMaintenanceFor(sql::Transaction& transaction,
                           const GetOptions& options, sql::Timestamp now) {
  Listing listing{"MaintenanceList",
                  "maintenance",
                  Table({">ID", "STATUS", "NODES", "FROM", "UNTIL", ">KNOWN",
                         ">RUNNING", "REASON"}),
                  {},
                  {},
                  {},
                  false};
  if (WantsDocuments(options.output))
    listing.items = std::make_shared<OrderedJson>(OrderedJson::array());
  for (const sql::Row row :
       transaction.Run(queries::kListMaintenance, now, std::nullopt)) {
    std::vector<Cell> cells = MaintenanceCells(row, now);
    std::string fingerprint;
    for (std::size_t i = 0; i < cells.size(); ++i)
      // Without the times.
      if (i != 3 && i != 4) fingerprint += cells[i].text + "\n";
    listing.names.push_back(cells[0].text);
    listing.fingerprints.push_back(std::move(fingerprint));
    listing.table.Add(std::move(cells));
    if (listing.items) listing.items->push_back(MaintenanceDocument(row));
  }
  return listing;
}

}  // namespace fluxnetes::services
