// The state of the database for /readyz and /metrics: whether it answers,
// whether its schema is current, what this process leads, and how many rows its
// tables have. Look() never waits longer than its `patience`, also if the
// database is away.
//
// The load does not depend on the number of calls: the database is asked at
// most once a second, and the schema is checked once a minute. Counting groups
// and jobs, of which there may be 100,000, takes at most a hundredth of the
// time. The probe has its own thread and connection, which are idle without
// calls.
//
// Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sql/connection/pool.h"
#include "sql/connection/pool_counts.h"

namespace fluxnetes::services {

struct DatabaseSample {
  using Clock = std::chrono::steady_clock;

  struct Groups {
    std::string queue;
    std::string state;
    std::string reason;  // of pending groups
    std::int64_t count = 0;
    double oldest = 0;  // seconds since the first submission
  };
  struct Usage {
    std::string queue;
    std::string resource;
    double used = 0;  // amount times seconds, on the last day
  };
  struct Jobs {
    std::string kind;
    std::string state;
    std::int64_t count = 0;
    std::optional<double> oldest = {};  // seconds; of available jobs
  };

  Clock::time_point asked_at{};  // the time of the last answer or failure
  std::string problem = {};      // why it does not answer; empty: it does
  std::string schema_problem = {};
  bool registered = false;  // whether our client row is alive
  std::int64_t replicas = 0;
  std::vector<std::string> leads = {};

  std::optional<Clock::time_point> counted_at = {};
  Clock::duration counting{};  // the duration of the count
  std::vector<Groups> groups = {};
  std::vector<Jobs> jobs = {};
  std::vector<Usage> usage = {};
};

class DatabaseProbe {
 public:
  // `check` opens the database and returns its problem and that of its schema,
  // each empty if there is none; `client` returns our client id; `on_slow` is
  // told of slow statements.
  using Check = std::function<std::pair<std::string, std::string>()>;

  DatabaseProbe(const sql::PoolOptions& options, Check check,
                std::function<std::int64_t()> client,
                sql::OnSlowStatement on_slow = nullptr);
  ~DatabaseProbe();
  DatabaseProbe(const DatabaseProbe&) = delete;
  DatabaseProbe& operator=(const DatabaseProbe&) = delete;

  // Returns the latest sample, or waits up to `patience` for a new one.
  std::shared_ptr<const DatabaseSample> Look(
      std::chrono::milliseconds patience = std::chrono::milliseconds{500});

  sql::PoolCounts counts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::services
