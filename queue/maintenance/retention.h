// Manages the daily partitions (UTC) of finished jobs and other history:
// creates them ahead and drops them when their retention is over, with a
// retention of its own for each final state of jobs. A partition is detached
// concurrently and under a lock timeout before it is dropped, so that a
// forgotten open transaction delays only retention; a later call does what
// could not be done.
//
// Used by one thread. RunOnce() throws sql::Error when PostgreSQL fails for
// another reason than a lock.
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
    int delayed = 0;  // a lock timed out
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
