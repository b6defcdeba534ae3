// A unit of work as the queue sees it, and the result of its work.
//
//   scheduled ─▶ available ─▶ running ─▶ completed | cancelled | discarded
//   retryable ──▶    ▲           │
//   pending ────▶    └───────────┘  snoozed, failed, or its client died
//
// Plain values.
// Tests: tests/queue/store/work_queue_pgtest.cc.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sql/values/parameter.h"

namespace fluxnetes::queue {

enum class JobState {
  kAvailable,  // may run now
  kScheduled,  // may run later
  kRetryable,  // failed, waits for its backoff: (failures + 1)^4 s
  kPending,    // parked until JobControl::Release()
  kRunning,    // leased
  kCompleted,
  kCancelled,
  kDiscarded,
};

// Converts to and from PostgreSQL's spelling: "available".
std::string_view NameOf(JobState state);
std::optional<JobState> StateNamed(std::string_view name);

// As max_attempts: the job is retried for ever. (Snoozing raises max_attempts,
// so this leaves room above it.)
inline constexpr int kNoLimit = 1'000'000'000;

// Size limits of a job in bytes; a larger one is a JobError.
inline constexpr std::size_t kMaxNameBytes = 255;  // kind, queue, each tag
inline constexpr std::size_t kMaxArgsBytes = 1'048'576;
inline constexpr std::size_t kMaxMetadataBytes = 65'536;
inline constexpr std::size_t kMaxTags = 64;
// The message and the trace of a failed attempt are each cut to this size; only
// the last kMaxErrors failures are kept.
inline constexpr std::size_t kMaxErrorBytes = 16'384;
inline constexpr int kMaxErrors = 100;

// Makes a job unique: no second job of the same kind with equal attributes. The
// attributes to compare are chosen by the fields; `states` is always compared,
// so jobs that are unique over other states count as different.
//
// Uniqueness is checked at insertion: no second job is inserted while the first
// is in one of the states. A job that left these states and returns to them,
// because it is retried or run again, is not blocked by a duplicate inserted in
// between.
struct Unique {
  bool by_args = false;                   // as jsonb: key order is ignored
  std::vector<std::string> by_keys = {};  // of args, if not all of them
  bool by_queue = false;
  // Same period of this length, counted from 1970 UTC, by scheduled_at.
  std::optional<std::chrono::seconds> by_period = {};
  std::vector<JobState> states = {JobState::kAvailable, JobState::kScheduled,
                                  JobState::kRetryable, JobState::kPending,
                                  JobState::kRunning,   JobState::kCompleted};
};

struct NewJob {
  std::string kind = {};
  std::string queue = {};
  std::string args = "{}";  // a JSON object
  int priority = 1;         // 1 (first) to 4
  int max_attempts = 25;    // a death of its client counts as one
  std::optional<sql::Timestamp> scheduled_at = {};  // nothing: now
  std::vector<std::string> tags = {};
  std::string metadata = "{}";  // a JSON object
  bool pending = false;         // parked until JobControl::Release()
  std::optional<Unique> unique = {};
};

// Which jobs are leased as they are inserted.
struct LeaseOfNew {
  std::int64_t client = 0;
  std::int64_t limit = 0;  // the first ones of those inserted
  // Only those of queues of which the client has the leadership.
  bool as_leader = false;
};

// The result of an insert: the job's id, or that of the existing duplicate.
struct Inserted {
  std::int64_t id = 0;
  bool duplicate = false;
  bool operator==(const Inserted&) const = default;
};

// A leased job. `id` and `attempt` together are the lease: a result that names
// another attempt is refused.
struct Job {
  std::int64_t id = 0;
  std::string kind = {};
  std::string queue = {};
  std::string args = {};
  int priority = 1;
  int attempt = 0;
  int max_attempts = 0;
  sql::Timestamp created_at = {};
  sql::Timestamp scheduled_at = {};
  sql::Timestamp attempted_at = {};  // time of the lease
  std::string metadata = {};
  std::vector<std::string> tags = {};
  int failures = 0;  // failed attempts that are kept
};

enum class Outcome { kCompleted, kFailed, kSnoozed, kCancelled, kDiscarded };

struct JobResult {
  std::int64_t id = 0;
  int attempt = 0;
  Outcome outcome = Outcome::kCompleted;
  // Appended to the job's errors unless empty; that of a failure always.
  std::string error = {};
  // Time until the job may run again. By default 0 for kSnoozed, and (failures
  // + 1)^4 seconds ±10 % for kFailed.
  std::optional<std::chrono::milliseconds> delay = {};
  std::string trace = {};     // the error's origin, stored with it
  std::string metadata = {};  // a JSON object merged into the job's; or empty
};

}  // namespace fluxnetes::queue
