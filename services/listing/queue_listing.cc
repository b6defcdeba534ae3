#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "services/console/time_text.h"
#include "services/listing/listing.h"
#include "services/records/records_queries.h"

namespace fluxnetes::services {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string Seconds(std::optional<double> seconds) {
  if (!seconds) return {};
  return ShortDuration(
      std::chrono::milliseconds(std::llround(*seconds * 1000)));
}

std::string Count(const sql::Row& row, const char* column) {
  return std::to_string(row.Get<std::int64_t>(column));
}

OrderedJson QueueToJson(const sql::Row& row) {
  const auto count = [&](const char* column) {
    return row.Get<std::int64_t>(column);
  };
  const auto seconds = [&](const char* column) {
    const auto value = row.Find<double>(column);
    return value ? OrderedJson(*value) : OrderedJson();
  };
  const auto oldest = row.Find<sql::Timestamp>("oldest_pending");
  const auto reservations = row.Find<std::int64_t>("reservation_depth");
  return {{"name", row.Get<std::string>("queue")},
          {"paused", row.Get<bool>("paused")},
          {"queuePolicy", row.Get<std::string>("queue_policy")},
          {"queueOrder", row.Get<std::string>("queue_order")},
          {"ageing", row.Get<double>("ageing")},
          {"halfLifeSeconds", seconds("half_life")},
          {"matchPolicy", row.Get<std::string>("match_policy")},
          {"nodeSelector",
           OrderedJson::parse(row.Get<std::string>("node_selector"))},
          {"queueDepth", count("queue_depth")},
          {"reservationDepth",
           reservations ? OrderedJson(*reservations) : OrderedJson()},
          {"assumedDurationSeconds", seconds("assumed_duration")},
          {"deadlineAction", row.Get<std::string>("deadline_action")},
          {"bindTimeoutSeconds", seconds("bind_timeout")},
          {"replacementHoldSeconds", seconds("replacement_hold")},
          {"preemption", row.Get<std::string>("preemption")},
          {"exclusive", row.Get<bool>("exclusive")},
          {"topology", OrderedJson::parse(row.Get<std::string>("topology"))},
          {"groups",
           {{"provisional", count("provisional")},
            {"pending", count("pending")},
            {"unsatisfiable", count("unsatisfiable")},
            {"allocated", count("allocated")},
            {"bound", count("bound")}}},
          {"oldestPending",
           oldest ? OrderedJson(Rfc3339(*oldest)) : OrderedJson()}};
}

// The depth of reservations; empty: the policy's default.
std::string DepthOf(const sql::Row& row) {
  const auto depth = row.Find<std::int64_t>("reservation_depth");
  return depth ? std::to_string(*depth) : "";
}

std::string TopologyOf(const sql::Row& row) {
  const auto keys = OrderedJson::parse(row.Get<std::string>("topology"))
                        .get<std::vector<std::string>>();
  return fmt::format("{}", fmt::join(keys, ","));
}

std::vector<Cell> CellsOfQueue(const sql::Row& row, bool wide,
                               sql::Timestamp now) {
  const auto oldest = row.Find<sql::Timestamp>("oldest_pending");
  std::vector<Cell> cells = {row.Get<std::string>("queue"),
                             row.Get<bool>("paused")
                                 ? Cell("paused", Colour::kYellow)
                                 : Cell("running", Colour::kGreen),
                             row.Get<std::string>("queue_policy"),
                             row.Get<std::string>("match_policy"),
                             Count(row, "provisional"),
                             Count(row, "pending"),
                             Count(row, "unsatisfiable"),
                             Count(row, "allocated"),
                             Count(row, "bound"),
                             oldest ? Age(*oldest, now) : ""};
  if (wide) {
    const std::string selector = row.Get<std::string>("node_selector");
    cells.emplace_back(row.Get<std::string>("queue_order"));
    cells.emplace_back(fmt::format("{}", row.Get<double>("ageing")));
    cells.emplace_back(Seconds(row.Find<double>("half_life")));
    cells.emplace_back(std::to_string(row.Get<std::int64_t>("queue_depth")));
    cells.emplace_back(DepthOf(row));
    cells.emplace_back(Seconds(row.Find<double>("assumed_duration")));
    cells.emplace_back(row.Get<std::string>("deadline_action"));
    cells.emplace_back(Seconds(row.Find<double>("bind_timeout")));
    cells.emplace_back(Seconds(row.Find<double>("replacement_hold")));
    cells.emplace_back(row.Get<std::string>("preemption"));
    cells.emplace_back(row.Get<bool>("exclusive") ? "yes" : "no");
    cells.emplace_back(TopologyOf(row));
    cells.emplace_back(selector == "{}" ? "all" : selector);
  }
  return cells;
}

}  // namespace

Listing ListQueuesFor(sql::Transaction& transaction, const GetOptions& options,
                      sql::Timestamp now) {
  const bool wide = options.output == OutputFormat::kWide;
  std::vector<std::string> headings = {
      "NAME",     "STATUS",         "POLICY",     "MATCH",  ">PROVISIONAL",
      ">PENDING", ">UNSATISFIABLE", ">ALLOCATED", ">BOUND", "OLDEST"};
  if (wide)
    headings.insert(headings.end(),
                    {"ORDER", ">AGEING", "HALF-LIFE", ">DEPTH", ">RESERVATIONS",
                     "ASSUMED", "DEADLINE", "BIND-TIMEOUT", "HOLD",
                     "PREEMPTION", "EXCLUSIVE", "TOPOLOGY", "NODES"});
  Listing listing{"QueueList", "queues", Table(headings), {}, {}, {}, false};
  if (WantsDocuments(options.output))
    listing.items = std::make_shared<OrderedJson>(OrderedJson::array());
  const std::optional<std::string> name =
      options.name.empty() ? std::nullopt : std::optional(options.name);
  for (const sql::Row row : transaction.Run(queries::kListQueues, name)) {
    std::vector<Cell> cells = CellsOfQueue(row, wide, now);
    std::string fingerprint;
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (i != 9) fingerprint += cells[i].text + "\n";  // without the age
    listing.names.push_back(cells[0].text);
    listing.fingerprints.push_back(std::move(fingerprint));
    listing.table.Add(std::move(cells));
    if (listing.items) listing.items->push_back(QueueToJson(row));
  }
  return listing;
}

}  // namespace fluxnetes::services
