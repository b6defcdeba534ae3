#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "services/exit_code.h"
#include "services/listing.h"
#include "services/moment.h"
#include "services/queries.h"

namespace fluxnetes::services {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kTableLimit = 500;
constexpr std::array kStates = {"available", "scheduled", "retryable",
                                "pending",   "running",   "completed",
                                "cancelled", "discarded"};

void CheckStates(const std::vector<std::string>& states) {
  for (const std::string& state : states)
    if (std::find(kStates.begin(), kStates.end(), state) == kStates.end())
      throw Failure(
          ExitCode::kUsage, fmt::format("'{}' is no state of a job", state),
          fmt::format("Right would be one of {}.", fmt::join(kStates, ", ")));
}

template <typename T>
Json OrNull(const sql::Row& row, const char* column) {
  const auto value = row.Find<T>(column);
  if constexpr (std::is_same_v<T, sql::Timestamp>)
    return value ? Json(Rfc3339(*value)) : Json();
  else
    return value ? Json(*value) : Json();
}

Json ToJson(const sql::Row& row) {
  return {{"id", row.Get<std::int64_t>("id")},
          {"kind", row.Get<std::string>("kind")},
          {"queue", row.Get<std::string>("queue")},
          {"state", row.Get<std::string>("state")},
          {"attempt", row.Get<int>("attempt")},
          {"maxAttempts", row.Get<int>("max_attempts")},
          {"client", OrNull<std::int64_t>(row, "client_id")},
          {"args", Json::parse(row.Get<std::string>("args"))},
          {"error", OrNull<std::string>(row, "error")},
          {"createdAt", OrNull<sql::Timestamp>(row, "created_at")},
          {"scheduledAt", OrNull<sql::Timestamp>(row, "scheduled_at")},
          {"attemptedAt", OrNull<sql::Timestamp>(row, "attempted_at")},
          {"finalizedAt", OrNull<sql::Timestamp>(row, "finalized_at")}};
}

Colour ColourOf(const std::string& state) {
  if (state == "running") return Colour::kGreen;
  if (state == "retryable" || state == "cancelled") return Colour::kYellow;
  if (state == "discarded") return Colour::kRed;
  return state == "completed" ? Colour::kDim : Colour::kNone;
}

std::vector<Cell> CellsOf(const sql::Row& row, bool wide, sql::Timestamp now) {
  const auto state = row.Get<std::string>("state");
  const auto scheduled = row.Get<sql::Timestamp>("scheduled_at");
  std::vector<Cell> cells = {std::to_string(row.Get<std::int64_t>("id")),
                             row.Get<std::string>("kind"),
                             row.Get<std::string>("queue"),
                             Cell(state, ColourOf(state)),
                             fmt::format("{}/{}", row.Get<int>("attempt"),
                                         row.Get<int>("max_attempts")),
                             scheduled > now ? Relative(scheduled, now) : "",
                             Age(row.Get<sql::Timestamp>("created_at"), now)};
  if (wide) {
    const auto client = row.Find<std::int64_t>("client_id");
    cells.emplace_back(client ? std::to_string(*client) : "");
    cells.emplace_back(row.Get<std::string>("args"));
  }
  cells.emplace_back(row.Find<std::string>("error").value_or(""));
  return cells;
}

}  // namespace

Listing ListJobsFor(sql::Transaction& transaction, const GetOptions& options,
                    sql::Timestamp now) {
  CheckStates(options.states);
  const bool wide = options.output == OutputFormat::kWide;
  const bool table = wide || options.output == OutputFormat::kTable;
  std::vector<std::string> headings = {">ID",      "KIND", "QUEUE", "STATE",
                                       ">ATTEMPT", "NEXT", "AGE"};
  if (wide) headings.insert(headings.end(), {">CLIENT", "ARGS"});
  headings.emplace_back("ERROR");
  Listing listing{"JobList", "jobs", Table(headings), {}, {}, {}, false};
  if (WantsDocuments(options.output))
    listing.items = std::make_shared<Json>(Json::array());
  std::optional<std::vector<std::string>> states;
  if (!options.states.empty()) states = options.states;
  std::optional<sql::Timestamp> since;
  if (options.finished && options.finished->count() > 0)
    since = now - *options.finished;
  const std::int64_t limit = options.limit.value_or(table ? kTableLimit : 0);
  const std::optional<std::int64_t> most =
      limit == 0 ? std::nullopt : std::optional(limit + 1);
  for (const sql::Row row :
       transaction.Run(queries::kListJobs, options.queue, options.kind, states,
                       since, options.after, most)) {
    if (limit > 0 && static_cast<std::int64_t>(listing.names.size()) == limit) {
      listing.more = true;
      break;
    }
    listing.names.push_back(std::to_string(row.Get<std::int64_t>("id")));
    listing.fingerprints.push_back(fmt::format("{} {} {}", listing.names.back(),
                                               row.Get<std::string>("state"),
                                               row.Get<int>("attempt")));
    listing.table.Add(CellsOf(row, wide, now));
    if (listing.items) listing.items->push_back(ToJson(row));
  }
  return listing;
}

}  // namespace fluxnetes::services
