// Keeps the busy tables of the queue small: VACUUM of those that have gathered
// dead rows, far more often than autovacuum comes round, REINDEX CONCURRENTLY
// of indexes that have grown beyond what they hold, and rows that are of no use
// any more.
//
// A statement that cannot have its lock is left for a later call. Where VACUUM
// removes nothing, because somebody holds an old snapshot, it is tried less and
// less often.
//
// One thread. Throws sql::Error when PostgreSQL fails for any other reason than
// a lock or an interruption.
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
  std::int64_t dead_rows = 1'000;  // worth a VACUUM
  std::int64_t index_bytes = 8'388'608;
  // An index whose entries take more than this, each, is written anew. Full
  // pages have some 40 to 80.
  std::int64_t index_bytes_per_entry = 400;
  std::chrono::milliseconds lock_timeout{2'000};
};

class Upkeep {
 public:
  Upkeep(sql::Pool& pool, UpkeepOptions options,
         sql::Interrupt* interrupt = nullptr);

  // How many tables.
  int Vacuum();
  // How many indexes were written anew or, left broken, dropped. None under
  // transaction pooling, which allows no lock time-out.
  int Reindex();
  // How many rows of no use: queues that nobody uses, and the unique keys of
  // jobs that retention has dropped.
  int Forget();

 private:
  // Whether VACUUM of a table is worth it, or has to wait.
  bool IsTurnOf(const std::string& table, std::int64_t dead);
  bool TryRun(const std::string& statement,
              std::chrono::milliseconds lock_timeout);

  struct Waiting {
    std::int64_t dead = 0;  // when it was last vacuumed
    int turns = 0;          // still to be passed over
    int next_turns = 1;
  };

  sql::Pool& pool_;
  const UpkeepOptions options_;
  sql::Interrupt* const interrupt_;
  std::map<std::string, Waiting> waiting_;
};

}  // namespace fluxnetes::queue
