#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "services/console/time_text.h"
#include "services/listing/listing.h"
#include "services/listing/listing_queries.h"

namespace fluxnetes::services {
namespace {

using OrderedJson = nlohmann::ordered_json;

// Returns "12.3ms", or "-" for none.
std::string ShortTimeOf(const sql::Row& row, const char* column) {
  const auto seconds = row.Find<double>(column);
  if (!seconds) return "-";
  if (*seconds < 1) return fmt::format("{:.1f}ms", *seconds * 1e3);
  return ShortDuration(
      std::chrono::milliseconds(std::llround(*seconds * 1'000)));
}

Cell StateOf(const sql::Row& row) {
  if (row.Find<double>("failing")) return Cell("fails", Colour::kRed);
  if (row.Find<double>("running")) return Cell("runs", Colour::kGreen);
  return Cell("waits");
}

OrderedJson SecondsOrNull(const sql::Row& row, const char* column) {
  const auto seconds = row.Find<double>(column);
  return seconds ? OrderedJson(*seconds) : OrderedJson();
}

OrderedJson LoopDocument(const sql::Row& row) {
  const auto last = row.Find<sql::Timestamp>("last_run_at");
  return {{"replica", row.Get<std::int64_t>("replica")},
          {"replicaName", row.Get<std::string>("replica_name")},
          {"name", row.Get<std::string>("name")},
          {"number", row.Get<std::int32_t>("number")},
          {"lastRunAt", last ? OrderedJson(Rfc3339(*last)) : OrderedJson()},
          {"tookSeconds", SecondsOrNull(row, "took")},
          {"lagSeconds", SecondsOrNull(row, "lag")},
          {"runs", row.Get<std::int64_t>("runs")},
          {"failures", row.Get<std::int64_t>("failures")},
          {"runningSeconds", SecondsOrNull(row, "running")},
          {"failingSeconds", SecondsOrNull(row, "failing")},
          {"reportedAt", Rfc3339(row.Get<sql::Timestamp>("reported_at"))}};
}

}  // namespace

Listing ListLoopsFor(sql::Transaction& transaction, const GetOptions& options,
                     sql::Timestamp now) {
  Listing listing{"LoopList",
                  "loops",
                  Table({"REPLICA", "LOOP", "STATE", ">FOR", ">TOOK", ">LAG",
                         ">RUNS", ">FAILED", "LAST-RUN"}),
                  {},
                  {},
                  {},
                  false};
  if (WantsDocuments(options.output))
    listing.items = std::make_shared<OrderedJson>(OrderedJson::array());
  for (const sql::Row row : transaction.Run(queries::kListLoops)) {
    const auto name = row.Get<std::string>("name");
    const auto last = row.Find<sql::Timestamp>("last_run_at");
    const auto runs = std::to_string(row.Get<std::int64_t>("runs"));
    const auto failures = std::to_string(row.Get<std::int64_t>("failures"));
    const std::string replica = row.Get<std::string>("replica_name");
    listing.names.push_back(fmt::format("{}/{}/{}", replica, name,
                                        row.Get<std::int32_t>("number")));
    listing.fingerprints.push_back(runs + "\n" + failures);
    listing.table.Add(
        {replica, name, StateOf(row),
         ShortTimeOf(row, row.Find<double>("failing") ? "failing" : "running"),
         ShortTimeOf(row, "took"), ShortTimeOf(row, "lag"), runs, failures,
         last ? Relative(*last, now) : "never"});
    if (listing.items) listing.items->push_back(LoopDocument(row));
  }
  return listing;
}

}  // namespace fluxnetes::services
