// Reads jobs and queues for people and metrics: lists by filters, single jobs
// in full, and figures per queue that a service can export.
//
// Plain values. The functions only read, in the caller's transaction, and throw
// sql::Error.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sql/connection/transaction.h"
#include "sql/values/parameter.h"

namespace fluxnetes::queue {

// A row of `jobs` or `jobs_finished`; the comments of their columns define the
// fields.
struct JobRow {
  std::int64_t id = 0;
  std::string kind = {};
  std::string queue = {};
  std::string state = {};
  int priority = 1;
  int attempt = 0;
  int max_attempts = 0;
  std::optional<std::int64_t> client_id = {};
  std::optional<std::string> client = {};  // while it is registered
  sql::Timestamp created_at = {};
  sql::Timestamp scheduled_at = {};
  std::optional<sql::Timestamp> attempted_at = {};
  std::optional<sql::Timestamp> finalized_at = {};
  std::optional<sql::Timestamp> cancel_requested_at = {};
  std::string args = {};
  std::string errors = {};  // a JSON array of objects
  std::vector<std::string> tags = {};
  std::string metadata = {};
};

// An empty field matches any job.
struct JobFilter {
  std::optional<std::string> queue = {};
  std::optional<std::string> kind = {};
  std::optional<std::string> tag = {};
  std::vector<std::string> states = {};
  // Includes finished jobs only if they ended since this time.
  std::optional<sql::Timestamp> finished_since = {};
  std::int64_t after = 0;  // pagination: the last id of the previous page
  std::optional<std::int64_t> limit = {};
};

// Returns the jobs in order of id.
std::vector<JobRow> ListJobs(sql::Transaction& transaction,
                             const JobFilter& filter);

// Returns jobs with ids below `before` (nullopt: all), the newest first;
// ignores `tag` and `after`.
std::vector<JobRow> ListNewestJobs(sql::Transaction& transaction,
                                   const JobFilter& filter,
                                   std::optional<std::int64_t> before);

// Returns the jobs with these ids, finished or not, in order of id; skips
// unknown ids.
std::vector<JobRow> FindJobs(sql::Transaction& transaction,
                             std::span<const std::int64_t> ids);

// Of the jobs that ended within the window; nothing if none did.
struct Quantiles {
  std::chrono::duration<double> p50{};
  std::chrono::duration<double> p99{};
};

struct QueueStats {
  std::string queue = {};
  bool paused = false;
  std::int64_t available = 0;
  std::int64_t scheduled = 0;
  std::int64_t retryable = 0;
  std::int64_t pending = 0;
  std::int64_t running = 0;
  // Since when the oldest available job has been available.
  std::optional<std::chrono::duration<double>> oldest_available = {};
  // Number of jobs that ended within the window.
  std::int64_t completed = 0;
  std::int64_t cancelled = 0;
  std::int64_t discarded = 0;
  double per_second = 0;               // of all three, over the window
  std::optional<Quantiles> wait = {};  // from becoming available to the lease
  std::optional<Quantiles> run = {};   // from the last lease to the end
};

// Returns the queues that have jobs, are paused, or had jobs that ended within
// the window, in order of name.
std::vector<QueueStats> ReadStats(sql::Transaction& transaction,
                                  std::chrono::seconds window,
                                  const std::optional<std::string>& queue = {});

struct JobCounts {
  std::string kind = {};
  std::string state = {};
  std::int64_t jobs = 0;
  // For available jobs: since when the oldest has been available.
  std::optional<std::chrono::duration<double>> oldest_available = {};
};

// Counts the jobs that have not ended, in order of kind and state. Reads every
// one of them: do not call it often while there are very many.
std::vector<JobCounts> CountJobs(sql::Transaction& transaction);

}  // namespace fluxnetes::queue
