// A unit of work as the queue sees it, and how its work ended.
//
//   scheduled ─▶ available ─▶ running ─▶ completed | cancelled | discarded
//   retryable ──▶    ▲           │
//   pending ────▶    └───────────┘  snoozed, failed, or its client died
//
// Plain values.
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
  kRetryable,  // failed, waits for its back-off
  kPending,    // parked until someone releases it
  kRunning,    // leased
  kCompleted,
  kCancelled,
  kDiscarded,
};

// As PostgreSQL has it: "available".
std::string_view NameOf(JobState state);
std::optional<JobState> StateNamed(std::string_view name);

// As max_attempts: the job is never given up. (Room is left above it for what
// snoozing adds.)
inline constexpr int kNoLimit = 1'000'000'000;

// What a job may weigh, in bytes; more is a JobError.
inline constexpr std::size_t kMaxNameBytes = 255;  // kind, queue, each tag
inline constexpr std::size_t kMaxArgsBytes = 1'048'576;
inline constexpr std::size_t kMaxMetadataBytes = 65'536;
inline constexpr std::size_t kMaxTags = 64;
// What a failed attempt says is cut to so much, message and trace each, and of
// many failures the last ones are kept.
inline constexpr std::size_t kMaxErrorBytes = 16'384;
inline constexpr int kMaxErrors = 100;

// That there be no second job of the same kind. The others are compared as far
// as they are asked for; `states` in any case, so that jobs that are unique
// over other states are others.
//
// It is decided when a job is inserted: no second one is inserted while the
// first is in one of the states. One that left them and comes back, because it
// is tried or run again, is not held up by another that was inserted meanwhile.
struct Unique {
  bool by_args = false;                   // equal as jsonb: order is no matter
  std::vector<std::string> by_keys = {};  // of args, if not by all of them
  bool by_queue = false;
  // The same period of this length, counted from 1970 UTC; by scheduled_at.
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
  int max_attempts = 25;    // the death of its client counts as one
  std::optional<sql::Timestamp> scheduled_at = {};  // nothing: now
  std::vector<std::string> tags = {};
  std::string metadata = "{}";  // a JSON object
  bool pending = false;         // parked until JobControl::Release()
  std::optional<Unique> unique = {};
};

// What became of a new job: its id, or that of the one that was there already.
struct Inserted {
  std::int64_t id = 0;
  bool duplicate = false;
  bool operator==(const Inserted&) const = default;
};

// A job that was leased. `id` and `attempt` together are the lease: a result
// that names another attempt changes nothing.
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
  sql::Timestamp attempted_at = {};  // when it was leased
  std::string metadata = {};
  std::vector<std::string> tags = {};
  int failures = 0;  // attempts that failed, as far as they are kept
};

enum class Outcome { kCompleted, kFailed, kSnoozed, kCancelled, kDiscarded };

struct JobResult {
  std::int64_t id = 0;
  int attempt = 0;
  Outcome outcome = Outcome::kCompleted;
  // Unless it is empty, it is appended to the job's errors; a failure always.
  std::string error = {};
  // Until it may run again. kSnoozed: nothing is at once. kFailed: nothing is
  // (failures + 1)^4 seconds ±10 %.
  std::optional<std::chrono::milliseconds> delay = {};
  std::string trace = {};     // goes with the error: where it came from
  std::string metadata = {};  // a JSON object, merged into the job's; or empty
};

}  // namespace fluxnetes::queue
