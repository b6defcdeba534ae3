// Keeps the busy tables of the queue small: VACUUM of tables with many dead
// rows, far more often than autovacuum, REINDEX CONCURRENTLY of bloated
// indexes, and deletion of obsolete rows.
//
// A statement that cannot get its lock is left to a later call. If VACUUM
// removes nothing, because someone holds an old snapshot, it is tried less and
// less often.
//
// Used by one thread. Throws sql::Error when PostgreSQL fails for another
// reason than a lock or an interruption.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sql/connection/interrupt.h"
#include "sql/connection/pool.h"

namespace fluxnetes::queue {

struct UpkeepOptions {
  std::vector<std::string> tables = {
      "jobs",    "unique_keys", "clients",      "job_queues",
      "leaders", "job_rewinds", "periodic_jobs"};
  std::int64_t dead_rows = 1'000;  // threshold for VACUUM
  std::int64_t index_bytes = 8'388'608;
  // An index with more bytes per entry than this is rebuilt. Full pages have
  // some 40 to 80.
  std::int64_t index_bytes_per_entry = 400;
  std::chrono::milliseconds lock_timeout{2'000};
};

class Upkeep {
 public:
  Upkeep(sql::Pool& pool, UpkeepOptions options,
         sql::Interrupt* interrupt = nullptr);

  // Returns the number of tables vacuumed.
  int Vacuum();
  // Returns the number of indexes rebuilt or, if left invalid, dropped. None
  // under transaction pooling, which allows no lock timeout.
  int Reindex();
  // Deletes obsolete rows: unused queues, and unique keys of jobs that
  // retention has dropped. Returns their number.
  int Forget();

 private:
  // True if VACUUM of the table is worthwhile and its turn has come.
  bool IsTurnOf(const std::string& table, std::int64_t dead);
  bool TryRun(const std::string& statement,
              std::chrono::milliseconds lock_timeout);

  struct Waiting {
    std::int64_t dead = 0;  // at the last VACUUM
    int turns = 0;          // turns still to be skipped
    int next_turns = 1;
  };

  sql::Pool& pool_;
  const UpkeepOptions options_;
  sql::Interrupt* const interrupt_;
  std::map<std::string, Waiting> waiting_;
};

}  // namespace fluxnetes::queue
