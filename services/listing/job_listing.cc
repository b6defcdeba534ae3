#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "queue/control/inspection.h"
#include "services/console/exit_code.h"
#include "services/console/job_document.h"
#include "services/console/time_text.h"
#include "services/listing/listing.h"

namespace fluxnetes::services {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::int64_t kJobTableLimit = 500;
constexpr std::array kJobStates = {"available", "scheduled", "retryable",
                                   "pending",   "running",   "completed",
                                   "cancelled", "discarded"};

Colour ColourOf(const std::string& state) {
  if (state == "running") return Colour::kGreen;
  if (state == "retryable" || state == "cancelled") return Colour::kYellow;
  if (state == "discarded") return Colour::kRed;
  return state == "completed" ? Colour::kDim : Colour::kNone;
}

std::vector<Cell> CellsOf(const queue::JobRow& job, bool wide,
                          sql::Timestamp now) {
  std::vector<Cell> cells = {
      std::to_string(job.id),
      job.kind,
      job.queue,
      Cell(job.state, ColourOf(job.state)),
      fmt::format("{}/{}", job.attempt, job.max_attempts),
      job.scheduled_at > now ? Relative(job.scheduled_at, now) : "",
      Age(job.created_at, now)};
  if (wide) {
    cells.emplace_back(job.client_id ? std::to_string(*job.client_id) : "");
    cells.emplace_back(job.args);
  }
  cells.emplace_back(LastError(job));
  return cells;
}

queue::JobFilter JobFilterOf(const GetOptions& options, sql::Timestamp now) {
  queue::JobFilter filter{.queue = options.queue,
                          .kind = options.kind,
                          .tag = options.tag,
                          .states = options.states,
                          .after = options.after};
  if (options.finished && options.finished->count() > 0)
    filter.finished_since = now - *options.finished;
  return filter;
}

}  // namespace

void CheckJobStates(const std::vector<std::string>& states) {
  for (const std::string& state : states)
    if (std::find(kJobStates.begin(), kJobStates.end(), state) ==
        kJobStates.end())
      throw Failure(ExitCode::kUsage,
                    fmt::format("'{}' is no state of a job", state),
                    fmt::format("Right would be one of {}.",
                                fmt::join(kJobStates, ", ")));
}

Listing ListJobsFor(sql::Transaction& transaction, const GetOptions& options,
                    sql::Timestamp now) {
  CheckJobStates(options.states);
  const bool wide = options.output == OutputFormat::kWide;
  const bool table = wide || options.output == OutputFormat::kTable;
  std::vector<std::string> headings = {">ID",      "KIND", "QUEUE", "STATE",
                                       ">ATTEMPT", "NEXT", "AGE"};
  if (wide) headings.insert(headings.end(), {">CLIENT", "ARGS"});
  headings.emplace_back("ERROR");
  Listing listing{"JobList", "jobs", Table(headings), {}, {}, {}, false};
  if (WantsDocuments(options.output))
    listing.items = std::make_shared<OrderedJson>(OrderedJson::array());
  const std::int64_t limit = options.limit.value_or(table ? kJobTableLimit : 0);
  queue::JobFilter filter = JobFilterOf(options, now);
  if (limit > 0) filter.limit = limit + 1;
  for (const queue::JobRow& job : queue::ListJobs(transaction, filter)) {
    if (limit > 0 && static_cast<std::int64_t>(listing.names.size()) == limit) {
      listing.more = true;
      break;
    }
    listing.names.push_back(std::to_string(job.id));
    listing.fingerprints.push_back(
        fmt::format("{} {} {}", job.id, job.state, job.attempt));
    listing.table.Add(CellsOf(job, wide, now));
    if (listing.items) listing.items->push_back(ToJson(job));
  }
  return listing;
}

}  // namespace fluxnetes::services
