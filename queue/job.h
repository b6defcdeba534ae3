// A unit of work as the queue sees it, and how its work ended.
//
//   scheduled ─▶ available ─▶ running ─▶ completed | cancelled | discarded
//   retryable ──▶    ▲           │
//   pending ────▶    └───────────┘  snoozed, failed, or its client died
//
// Plain values.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sql/parameter.h"

namespace fluxnetes::queue {

// As max_attempts: the job is never given up. (Room is left above it for what
// snoozing adds.)
inline constexpr int kNoLimit = 1'000'000'000;

struct NewJob {
  std::string kind = {};
  std::string queue = {};
  std::string args = "{}";  // a JSON object
  int priority = 1;         // 1 (first) to 4
  int max_attempts = 25;    // the death of its client counts as one
  std::optional<sql::Timestamp> scheduled_at = {};  // nothing: now
  std::vector<std::string> tags = {};
  std::string metadata = "{}";  // a JSON object
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
};

enum class Outcome { kCompleted, kFailed, kSnoozed, kCancelled, kDiscarded };

struct JobResult {
  std::int64_t id = 0;
  int attempt = 0;
  Outcome outcome = Outcome::kCompleted;
  std::string error = {};             // kFailed: appended to the job's errors
  std::chrono::milliseconds delay{};  // kSnoozed: until it may run again
};

}  // namespace fluxnetes::queue
