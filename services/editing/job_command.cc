#include "services/editing/job_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

#include "queue/control/inspection.h"
#include "queue/control/job_control.h"
#include "services/console/display_text.h"
#include "services/console/job_document.h"
#include "services/console/output.h"
#include "services/console/table.h"
#include "services/console/time_text.h"
#include "services/database/audit.h"
#include "services/listing/listing.h"

namespace fluxnetes::services {
namespace {

using OrderedJson = nlohmann::ordered_json;
using queue::Changed;
using queue::JobControl;
using queue::JobRow;
using JobsVerb = JobsOptions::Verb;
using Ids = std::vector<std::int64_t>;

// The most jobs that a filter may change at once without --limit.
constexpr std::int64_t kMost = 10'000;

ExitCode SayUnknown(const Ids& ids, Console& console) {
  for (const std::int64_t id : ids)
    console.err << fmt::format("error: no job {}\n", id);
  console.err << "`fluxnetes jobs list --finished 24h` lists those that there "
                 "are.\n";
  return ExitCode::kNotFound;
}

std::string When(const std::optional<sql::Timestamp>& time,
                 sql::Timestamp now) {
  if (!time) return "-";
  return fmt::format("{} UTC ({})", ShortTime(*time), Relative(*time, now));
}

std::string InFull(const JobRow& job, sql::Timestamp now) {
  std::string text;
  const auto add = [&](const char* key, const std::string& value) {
    text += fmt::format("{:<13} {}\n", fmt::format("{}:", key),
                        Printable(value.empty() ? "-" : value));
  };
  add("Job", std::to_string(job.id));
  add("Kind", job.kind);
  add("Queue", job.queue);
  add("State", job.state);
  add("Priority", std::to_string(job.priority));
  add("Attempt", fmt::format("{} of {}", job.attempt, job.max_attempts));
  add("Client", job.client_id ? fmt::format("{} ({})", *job.client_id,
                                            job.client.value_or("gone"))
                              : "");
  add("Created", When(job.created_at, now));
  add("Scheduled", When(job.scheduled_at, now));
  add("Attempted", When(job.attempted_at, now));
  if (job.finalized_at) add("Ended", When(job.finalized_at, now));
  if (job.cancel_requested_at)
    add("Cancel asked", When(job.cancel_requested_at, now));
  add("Tags", fmt::format("{}", fmt::join(job.tags, ", ")));
  add("Args", job.args);
  add("Metadata", job.metadata);
  const OrderedJson errors = OrderedJson::parse(job.errors);
  for (const OrderedJson& error : errors) {
    add("Failed",
        fmt::format("attempt {} at {}: {}", error.value("attempt", 0),
                    error.value("at", ""), error.value("message", "")));
    if (error.contains("trace")) add("", error.value("trace", ""));
  }
  return text;
}

ExitCode Show(const JobsOptions& options, sql::Pool& pool, Console& console) {
  sql::Transaction transaction(pool, sql::Isolation::kReadOnly);
  const std::vector<JobRow> jobs = queue::FindJobs(transaction, options.ids);
  Ids unknown = options.ids;
  std::erase_if(unknown, [&](std::int64_t id) {
    return std::ranges::find(jobs, id, &JobRow::id) != jobs.end();
  });
  if (WantsDocuments(options.output)) {
    OrderedJson items = OrderedJson::array();
    for (const JobRow& job : jobs) items.push_back(ToJson(job));
    if (!jobs.empty())
      console.out << Write(
          options.ids.size() == 1 ? items[0] : ListOf("JobList", items),
          options.output);
  } else {
    for (const JobRow& job : jobs)
      console.out << (&job == jobs.data() ? "" : "\n")
                  << InFull(job, console.now());
  }
  return unknown.empty() ? ExitCode::kOk : SayUnknown(unknown, console);
}

std::string Short(const std::optional<queue::Quantiles>& quantiles,
                  std::chrono::duration<double> queue::Quantiles::*which) {
  if (!quantiles) return "";
  const double seconds = ((*quantiles).*which).count();
  if (seconds >= 60)
    return ShortDuration(
        std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1'000)));
  return seconds >= 1 ? fmt::format("{:.1f}s", seconds)
                      : fmt::format("{:.1f}ms", seconds * 1'000);
}

std::vector<Cell> CellsOf(const queue::QueueStats& stats) {
  using queue::Quantiles;
  std::string oldest;
  if (stats.oldest_available)
    oldest = ShortDuration(
        std::chrono::floor<std::chrono::milliseconds>(*stats.oldest_available));
  std::vector<Cell> cells = {
      stats.paused ? Cell(stats.queue + " (paused)", Colour::kYellow)
                   : Cell(stats.queue)};
  for (const std::int64_t count :
       {stats.available, stats.scheduled, stats.retryable, stats.pending,
        stats.running})
    cells.emplace_back(std::to_string(count));
  cells.emplace_back(oldest);
  for (const std::int64_t count :
       {stats.completed, stats.cancelled, stats.discarded})
    cells.emplace_back(std::to_string(count));
  cells.emplace_back(fmt::format("{:.1f}", stats.per_second));
  cells.emplace_back(Short(stats.wait, &Quantiles::p50));
  cells.emplace_back(Short(stats.wait, &Quantiles::p99));
  cells.emplace_back(Short(stats.run, &Quantiles::p50));
  cells.emplace_back(Short(stats.run, &Quantiles::p99));
  return cells;
}

ExitCode Stats(const JobsOptions& options, sql::Pool& pool, Console& console) {
  sql::Transaction transaction(pool, sql::Isolation::kReadOnly);
  const auto window = std::chrono::ceil<std::chrono::seconds>(options.window);
  const auto all = queue::ReadStats(transaction, window, options.queue);
  if (WantsDocuments(options.output)) {
    OrderedJson items = OrderedJson::array();
    for (const auto& stats : all) items.push_back(ToJson(stats));
    OrderedJson document = ListOf("JobQueueStatsList", items);
    document["windowSeconds"] = window.count();
    console.out << Write(document, options.output);
    return ExitCode::kOk;
  }
  if (all.empty()) {
    console.err << "No jobs found.\n";
    return ExitCode::kOk;
  }
  Table table({"QUEUE", ">AVAILABLE", ">SCHEDULED", ">RETRYABLE", ">PENDING",
               ">RUNNING", ">OLDEST", ">COMPLETED", ">CANCELLED", ">DISCARDED",
               ">PER-SECOND", ">WAIT-P50", ">WAIT-P99", ">RUN-P50",
               ">RUN-P99"});
  for (const auto& stats : all) table.Add(CellsOf(stats));
  console.out << table.Text({.columns = console.size().first,
                             .colour = console.colour,
                             .header = true});
  return ExitCode::kOk;
}

// Returns the given ids, or those that the filters select.
Ids Select(const JobsOptions& options, sql::Transaction& transaction,
           sql::Timestamp now) {
  const bool filtered =
      options.queue || options.kind || options.tag || !options.states.empty();
  if (!options.ids.empty() && filtered)
    throw Failure(ExitCode::kUsage, "give either ids or filters, not both",
                  "See 'fluxnetes jobs --help'.");
  if (!options.ids.empty()) return options.ids;
  if (!filtered)
    throw Failure(ExitCode::kUsage, "no jobs are named",
                  "Right would be ids, or --queue, --kind, --state or --tag.");
  CheckJobStates(options.states);
  std::optional<sql::Timestamp> since;
  if (options.finished) since = now - *options.finished;
  Ids ids;
  for (const JobRow& job :
       queue::ListJobs(transaction, {.queue = options.queue,
                                    .kind = options.kind,
                                    .tag = options.tag,
                                    .states = options.states,
                                    .finished_since = since,
                                    .limit = options.limit.value_or(kMost)}))
    ids.push_back(job.id);
  return ids;
}

std::vector<Changed> Apply(JobsVerb verb, sql::Transaction& transaction,
                           const Ids& ids) {
  switch (verb) {
    case JobsVerb::kRetry:
      return JobControl::Retry(transaction, ids);
    case JobsVerb::kCancel:
      return JobControl::Cancel(transaction, ids);
    case JobsVerb::kDelete:
      return JobControl::Delete(transaction, ids);
    case JobsVerb::kShow:
    case JobsVerb::kStats:
      break;
  }
  throw std::logic_error("no such change of a job");
}

struct Words {
  const char* done;
  const char* not_allowed;
};

const char* AuditVerb(JobsVerb verb) {
  if (verb == JobsVerb::kRetry) return "retry";
  return verb == JobsVerb::kCancel ? "cancel" : "delete";
}

void RecordJobs(sql::Transaction& transaction, JobsVerb verb, const Ids& ids,
                const std::vector<Changed>& changed) {
  std::vector<std::string> objects;
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (changed[i] == Changed::kDone || changed[i] == Changed::kAsked)
      objects.push_back(fmt::format("job/{}", ids[i]));
  RecordChanges(transaction, ProcessActor(), AuditVerb(verb), objects);
}

Words WordsOf(JobsVerb verb) {
  if (verb == JobsVerb::kRetry)
    return {"may run now", "runs; it can be retried when it has ended"};
  if (verb == JobsVerb::kCancel) return {"cancelled", "has ended already"};
  return {"deleted", "runs; cancel it first"};
}

ExitCode ChangeJobs(const JobsOptions& options, sql::Pool& pool,
                    Console& console) {
  sql::Transaction transaction(pool);
  const Ids ids = Select(options, transaction, console.now());
  const std::vector<Changed> changed = Apply(options.verb, transaction, ids);
  RecordJobs(transaction, options.verb, ids, changed);
  transaction.Commit();
  const Words words = WordsOf(options.verb);
  if (ids.empty()) console.err << "No jobs found.\n";
  ExitCode code = ExitCode::kOk;
  Ids unknown;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (changed[i] == Changed::kUnknown) {
      unknown.push_back(ids[i]);
    } else if (changed[i] == Changed::kNotAllowed) {
      console.err << fmt::format("error: job {} {}\n", ids[i],
                                 words.not_allowed);
      code = ExitCode::kFailed;
    } else {
      console.out << fmt::format(
          "job/{} {}\n", ids[i],
          changed[i] == Changed::kAsked ? "is asked to stop" : words.done);
    }
  }
  return unknown.empty() ? code : SayUnknown(unknown, console);
}

}  // namespace

ExitCode RunJobs(const JobsOptions& options, sql::Pool& pool,
                 Console& console) {
  if (options.verb == JobsVerb::kShow) return Show(options, pool, console);
  if (options.verb == JobsVerb::kStats) return Stats(options, pool, console);
  return ChangeJobs(options, pool, console);
}

}  // namespace fluxnetes::services
