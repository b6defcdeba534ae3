// What there is to see of the jobs and the queues: lists by filters, single
// jobs in full, and figures per queue that a service can export.
//
// Plain values; the functions read only, in the caller's transaction, and throw
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

// A job as it is in `jobs` or `jobs_finished`, whose columns say what it means.
struct JobRow {
  std::int64_t id = 0;
  std::string kind = {};
  std::string queue = {};
  std::string state = {};
  int priority = 1;
  int attempt = 0;
  int max_attempts = 0;
  std::optional<std::int64_t> client_id = {};
  std::optional<std::string> client = {};  // its name, while it is registered
  sql::Timestamp created_at = {};
  sql::Timestamp scheduled_at = {};
  std::optional<sql::Timestamp> attempted_at = {};
  std::optional<sql::Timestamp> finalized_at = {};
  std::optional<sql::Timestamp> cancel_requested_at = {};
  std::string args = {};
  std::string errors = {};  // an array of objects
  std::vector<std::string> tags = {};
  std::string metadata = {};
};

// Nothing: any.
struct JobFilter {
  std::optional<std::string> queue = {};
  std::optional<std::string> kind = {};
  std::optional<std::string> tag = {};
  std::vector<std::string> states = {};
  // Finished jobs are left out but for those that ended since then.
  std::optional<sql::Timestamp> finished_since = {};
  std::int64_t after = 0;  // an id: the last one of the page before
  std::optional<std::int64_t> limit = {};
};

// In order of id.
std::vector<JobRow> ListJobs(sql::Transaction& transaction,
                             const JobFilter& filter);

// Those of these jobs that there are, finished or not, in order of id.
std::vector<JobRow> FindJobs(sql::Transaction& transaction,
                             std::span<const std::int64_t> ids);

// Of jobs that ended within the window; nothing: none did.
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
  // Since when the oldest available job might have run.
  std::optional<std::chrono::duration<double>> oldest_available = {};
  // Jobs that ended within the window.
  std::int64_t completed = 0;
  std::int64_t cancelled = 0;
  std::int64_t discarded = 0;
  double per_second = 0;               // of all three, over the window
  std::optional<Quantiles> wait = {};  // from when it might run to its lease
  std::optional<Quantiles> run = {};   // from its last lease to its end
};

// Queues that have jobs, are paused, or had jobs that ended within the window;
// in order of name.
std::vector<QueueStats> ReadStats(sql::Transaction& transaction,
                                  std::chrono::seconds window,
                                  const std::optional<std::string>& queue = {});

struct JobCounts {
  std::string kind = {};
  std::string state = {};
  std::int64_t jobs = 0;
  // Since when the oldest of these might have run; of available ones.
  std::optional<std::chrono::duration<double>> oldest_available = {};
};

// Of those that have not ended, in order of kind and state. Reads all of them:
// not to be asked again and again where there are very many.
std::vector<JobCounts> CountJobs(sql::Transaction& transaction);

}  // namespace fluxnetes::queue
