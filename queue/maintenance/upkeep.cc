#include "queue/maintenance/upkeep.h"

#include <algorithm>
#include <utility>

#include "queue/maintenance/upkeep_queries.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::queue {
namespace {

constexpr int kMostTurns = 64;
constexpr int kMostForgotten = 10'000;  // per call

}  // namespace

Upkeep::Upkeep(sql::Pool& pool, UpkeepOptions options,
               sql::Interrupt* interrupt)
    : pool_(pool), options_(std::move(options)), interrupt_(interrupt) {}

int Upkeep::Vacuum() {
  int vacuumed = 0;
  const sql::Result tables = sql::RunAlone(pool_, queries::kTablesToVacuum,
                                           options_.dead_rows, options_.tables);
  for (const sql::Row row : tables)
    if (IsTurnOf(row.Get<std::string>("name"), row.Get<std::int64_t>("dead")) &&
        TryRun(row.Get<std::string>("vacuum"), {}))
      ++vacuumed;
  return vacuumed;
}

bool Upkeep::IsTurnOf(const std::string& table, std::int64_t dead) {
  Waiting& waiting = waiting_[table];
  if (waiting.turns > 0) {
    --waiting.turns;
    return false;
  }
  const bool helped = dead < waiting.dead || waiting.dead == 0;
  waiting.next_turns =
      helped ? 1 : std::min(2 * waiting.next_turns, kMostTurns);
  waiting.turns = waiting.next_turns - 1;
  waiting.dead = dead;
  return true;
}

int Upkeep::Reindex() {
  if (pool_.options().transaction_pooling) return 0;
  int done = 0;
  for (const sql::Row row :
       sql::RunAlone(pool_, queries::kBrokenIndexes, options_.tables))
    done += TryRun(row.Get<std::string>("drop"), options_.lock_timeout) ? 1 : 0;
  for (const sql::Row row :
       sql::RunAlone(pool_, queries::kBloatedIndexes, options_.index_bytes,
                     options_.index_bytes_per_entry, options_.tables))
    done +=
        TryRun(row.Get<std::string>("reindex"), options_.lock_timeout) ? 1 : 0;
  return done;
}

int Upkeep::Forget() {
  const auto queues =
      sql::RunAlone(pool_, queries::kForgetUnusedQueues).affected();
  const auto keys =
      sql::RunAlone(pool_, queries::kForgetOrphanedKeys, kMostForgotten)
          .affected();
  return static_cast<int>(queues + keys);
}

bool Upkeep::TryRun(const std::string& statement,
                    std::chrono::milliseconds lock_timeout) {
  try {
    sql::RunOutside(pool_, statement, lock_timeout, interrupt_);
    return true;
  } catch (const sql::Error& error) {
    if (error.kind() != sql::Error::Kind::kRolledBack) throw;
    return false;
  }
}

}  // namespace fluxnetes::queue
