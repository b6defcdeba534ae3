// The daily partitions of finished things (UTC): made ahead, and dropped when
// they have been kept long enough, jobs of each final state by their own time.
// A partition is detached concurrently and under a lock time-out before it is
// dropped, so that somebody's forgotten open transaction delays retention and
// nobody else; what could not be done is done by a later call.
//
// One thread. RunOnce() throws sql::Error when PostgreSQL fails for any other
// reason than a lock.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "sql/connection/interrupt.h"
#include "sql/connection/pool.h"

namespace fluxnetes::queue {

struct RetainedTable {
  std::string name;  // in the pool's schema, partitioned by make_partitions()
  int keep_days = 7;
};

struct RetentionOptions {
  std::vector<RetainedTable> tables{{"jobs_finished_completed", 1},
                                    {"jobs_finished_cancelled", 1},
                                    {"jobs_finished_discarded", 7}};
  int ahead_days = 7;
  std::chrono::milliseconds lock_timeout{2'000};
};

class Retention {
 public:
  struct Outcome {
    int made = 0;
    int dropped = 0;
    int delayed = 0;  // a lock was not to be had
  };

  Retention(sql::Pool& pool, RetentionOptions options,
            sql::Interrupt* interrupt = nullptr);

  Outcome RunOnce();

 private:
  void DropOld(const RetainedTable& table, Outcome& outcome);
  bool TryRun(const std::string& statement);
  void RunWithin(const std::string& statement);

  sql::Pool& pool_;
  const RetentionOptions options_;
  sql::Interrupt* const interrupt_;
};

}  // namespace fluxnetes::queue
