#include "queue/control/inspection.h"

#include <fmt/format.h>

#include "queue/control/inspection_queries.h"

namespace fluxnetes::queue {
namespace {

using Seconds = std::chrono::duration<double>;

JobRow JobRowFrom(const sql::Row& row) {
  return {
      .id = row.Get<std::int64_t>("id"),
      .kind = row.Get<std::string>("kind"),
      .queue = row.Get<std::string>("queue"),
      .state = row.Get<std::string>("state"),
      .priority = row.Get<int>("priority"),
      .attempt = row.Get<int>("attempt"),
      .max_attempts = row.Get<int>("max_attempts"),
      .client_id = row.Find<std::int64_t>("client_id"),
      .client = row.Find<std::string>("client"),
      .created_at = row.Get<sql::Timestamp>("created_at"),
      .scheduled_at = row.Get<sql::Timestamp>("scheduled_at"),
      .attempted_at = row.Find<sql::Timestamp>("attempted_at"),
      .finalized_at = row.Find<sql::Timestamp>("finalized_at"),
      .cancel_requested_at = row.Find<sql::Timestamp>("cancel_requested_at"),
      .args = row.Get<std::string>("args"),
      .errors = row.Get<std::string>("errors"),
      .tags = row.Get<std::vector<std::string>>("tags"),
      .metadata = row.Get<std::string>("metadata")};
}

std::vector<JobRow> JobRowsFrom(const sql::Result& result) {
  std::vector<JobRow> jobs;
  jobs.reserve(result.size());
  for (const sql::Row row : result) jobs.push_back(JobRowFrom(row));
  return jobs;
}

std::optional<Quantiles> QuantilesOf(const sql::Row& row, const char* p50,
                                     const char* p99) {
  const auto half = row.Find<double>(p50);
  if (!half) return std::nullopt;
  return Quantiles{Seconds(*half), Seconds(row.Get<double>(p99))};
}

QueueStats StatsFrom(const sql::Row& row, std::chrono::seconds window) {
  QueueStats stats{.queue = row.Get<std::string>("queue"),
                   .paused = row.Get<bool>("paused"),
                   .available = row.Get<std::int64_t>("available"),
                   .scheduled = row.Get<std::int64_t>("scheduled"),
                   .retryable = row.Get<std::int64_t>("retryable"),
                   .pending = row.Get<std::int64_t>("pending"),
                   .running = row.Get<std::int64_t>("running"),
                   .completed = row.Get<std::int64_t>("completed"),
                   .cancelled = row.Get<std::int64_t>("cancelled"),
                   .discarded = row.Get<std::int64_t>("discarded"),
                   .wait = QuantilesOf(row, "wait_p50", "wait_p99"),
                   .run = QuantilesOf(row, "run_p50", "run_p99")};
  if (const auto oldest = row.Find<double>("oldest"))
    stats.oldest_available = Seconds(*oldest);
  const auto ended = stats.completed + stats.cancelled + stats.discarded;
  stats.per_second =
      static_cast<double>(ended) / static_cast<double>(window.count());
  return stats;
}

}  // namespace

std::vector<JobRow> ListJobs(sql::Transaction& transaction,
                             const JobFilter& filter) {
  std::optional<std::vector<std::string>> states;
  if (!filter.states.empty()) states = filter.states;
  return JobRowsFrom(transaction.Run(queries::kListJobs, filter.queue,
                                     filter.kind, states, filter.finished_since,
                                     filter.after, filter.limit, filter.tag));
}

std::vector<JobRow> ListNewestJobs(sql::Transaction& transaction,
                                   const JobFilter& filter,
                                   std::optional<std::int64_t> before) {
  std::optional<std::vector<std::string>> states;
  if (!filter.states.empty()) states = filter.states;
  return JobRowsFrom(transaction.Run(queries::kListNewestJobs, filter.queue,
                                     filter.kind, states, filter.finished_since,
                                     before, filter.limit));
}

std::vector<JobRow> FindJobs(sql::Transaction& transaction,
                             std::span<const std::int64_t> ids) {
  return JobRowsFrom(transaction.Run(
      queries::kFindJobs, std::vector<std::int64_t>(ids.begin(), ids.end())));
}

std::vector<QueueStats> ReadStats(sql::Transaction& transaction,
                                  std::chrono::seconds window,
                                  const std::optional<std::string>& queue) {
  std::vector<QueueStats> all;
  for (const sql::Row row :
       transaction.Run(queries::kQueueStats,
                       fmt::format("{} seconds", window.count()), queue))
    all.push_back(StatsFrom(row, window));
  return all;
}

std::vector<JobCounts> CountJobs(sql::Transaction& transaction) {
  std::vector<JobCounts> all;
  for (const sql::Row row : transaction.Run(queries::kCountJobs)) {
    all.push_back({.kind = row.Get<std::string>("kind"),
                   .state = row.Get<std::string>("state"),
                   .jobs = row.Get<std::int64_t>("jobs")});
    if (const auto oldest = row.Find<double>("oldest"))
      all.back().oldest_available = Seconds(*oldest);
  }
  return all;
}

}  // namespace fluxnetes::queue
