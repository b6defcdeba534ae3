// What the database says when somebody wants to know how we are: whether it
// answers, whether its schema is ours, what this process leads, and how much
// stands in its tables. For /readyz and /metrics; who asks waits little and
// never for a database that is away.
//
// However many ask, however often: it is asked at most once a second; groups
// and jobs, of which there may be 100,000 to be counted, so seldom that
// counting takes a hundredth of the time; the schema once a minute. A thread
// and a connection of its own, idle while nobody asks.
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
    std::string reason;  // of those that wait
    std::int64_t count = 0;
    double oldest = 0;  // seconds since the first one was submitted
  };
  struct Jobs {
    std::string kind;
    std::string state;
    std::int64_t count = 0;
    std::optional<double> oldest = {};  // seconds, of available ones
  };

  Clock::time_point asked_at{};  // when it last had an answer or a failure
  std::string problem = {};      // why it does not answer; empty: it does
  std::string schema_problem = {};
  bool registered = false;  // this client is alive in its books
  std::int64_t replicas = 0;
  std::vector<std::string> leads = {};

  std::optional<Clock::time_point> counted_at = {};
  Clock::duration counting{};  // how long that took
  std::vector<Groups> groups = {};
  std::vector<Jobs> jobs = {};
};

class DatabaseProbe {
 public:
  // `check` opens the database and says what is wrong with it or with its
  // schema (second), each empty if nothing is; `client` is our id.
  using Check = std::function<std::pair<std::string, std::string>()>;

  DatabaseProbe(const sql::PoolOptions& options, Check check,
                std::function<std::int64_t()> client);
  ~DatabaseProbe();
  DatabaseProbe(const DatabaseProbe&) = delete;
  DatabaseProbe& operator=(const DatabaseProbe&) = delete;

  // What is known now or within `patience`.
  std::shared_ptr<const DatabaseSample> Look(
      std::chrono::milliseconds patience = std::chrono::milliseconds{500});

  sql::PoolCounts counts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::services
