#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "services/console/time_text.h"
#include "services/listing/listing.h"
#include "services/records/records_queries.h"

namespace fluxnetes::services {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string OfSeconds(double seconds) {
  return ShortDuration(std::chrono::milliseconds(std::llround(seconds * 1000)));
}

// Returns "+5m" for starts later than estimated.
std::string BiasText(double seconds) {
  return (seconds < 0 ? "-" : "+") + OfSeconds(std::abs(seconds));
}

std::vector<Cell> EstimateCells(const sql::Row& row) {
  return {
      row.Get<std::string>("queue"),
      row.Get<std::string>("estimate"),
      OfSeconds(static_cast<double>(row.Get<std::int64_t>("horizon"))) + "+",
      std::to_string(row.Get<std::int64_t>("groups")),
      OfSeconds(row.Get<double>("mean")),
      OfSeconds(row.Get<double>("p50")),
      OfSeconds(row.Get<double>("p95")),
      BiasText(row.Get<double>("bias"))};
}

OrderedJson EstimateDocument(const sql::Row& row) {
  return {{"queue", row.Get<std::string>("queue")},
          {"estimate", row.Get<std::string>("estimate")},
          {"horizonSeconds", row.Get<std::int64_t>("horizon")},
          {"groups", row.Get<std::int64_t>("groups")},
          {"meanSeconds", row.Get<double>("mean")},
          {"p50Seconds", row.Get<double>("p50")},
          {"p95Seconds", row.Get<double>("p95")},
          {"biasSeconds", row.Get<double>("bias")}};
}

}  // namespace

Listing ListEstimatesFor(sql::Transaction& transaction,
                         const GetOptions& options) {
  Listing listing{"EstimateErrorList",
                  "estimates of groups that have ended",
                  Table({"QUEUE", "ESTIMATE", ">AHEAD", ">GROUPS", ">MEAN",
                         ">P50", ">P95", ">BIAS"}),
                  {},
                  {},
                  {},
                  false};
  if (WantsDocuments(options.output))
    listing.items = std::make_shared<OrderedJson>(OrderedJson::array());
  for (const sql::Row row : transaction.Run(queries::kListEstimateErrors)) {
    std::vector<Cell> cells = EstimateCells(row);
    std::string fingerprint;
    for (const Cell& cell : cells) fingerprint += cell.text + "\n";
    listing.names.push_back(
        fmt::format("{}/{}/{}", cells[0].text, cells[1].text, cells[2].text));
    listing.fingerprints.push_back(std::move(fingerprint));
    listing.table.Add(std::move(cells));
    if (listing.items) listing.items->push_back(EstimateDocument(row));
  }
  return listing;
}

}  // namespace fluxnetes::services
