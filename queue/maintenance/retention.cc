#include "queue/maintenance/retention.h"

#include <utility>

#include "queue/maintenance/partitions_queries.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::queue {

Retention::Retention(sql::Pool& pool, RetentionOptions options,
                     sql::Interrupt* interrupt)
    : pool_(pool), options_(std::move(options)), interrupt_(interrupt) {}

Retention::Outcome Retention::RunOnce() {
  Outcome outcome;
  for (const RetainedTable& table : options_.tables)
    outcome.made += sql::RunAlone(pool_, queries::kMakePartitions, table.name,
                                  options_.ahead_days)[0]
                        .Get<int>("made");
  for (const RetainedTable& table : options_.tables) DropOld(table, outcome);
  return outcome;
}

void Retention::DropOld(const RetainedTable& table, Outcome& outcome) {
  const sql::Result old =
      sql::RunAlone(pool_, queries::kOldPartitions, table.name, table.keep_days,
                    !pool_.options().transaction_pooling);
  bool detaching = true;
  for (const sql::Row row : old) {
    const auto detach = row.Find<std::string>("detach");
    // PostgreSQL detaches one partition of a table at a time.
    if (detach) detaching = detaching && TryRun(*detach);
    const bool detached = !detach || detaching;
    if (detached && TryRun(row.Get<std::string>("drop")))
      ++outcome.dropped;
    else
      ++outcome.delayed;
  }
}

bool Retention::TryRun(const std::string& statement) {
  try {
    if (pool_.options().transaction_pooling)
      RunWithin(statement);
    else
      sql::RunOutside(pool_, statement, options_.lock_timeout, interrupt_);
    return true;
  } catch (const sql::Error& error) {
    if (error.kind() != sql::Error::Kind::kRolledBack) throw;
    return false;
  }
}

// The lock timeout is set for the transaction: one of the session would stay
// with the proxy's connection. While a statement waits for its lock, later ones
// wait behind it.
void Retention::RunWithin(const std::string& statement) {
  sql::Transaction transaction(pool_);
  transaction.RunScript("SET LOCAL lock_timeout = " +
                        std::to_string(options_.lock_timeout.count()));
  transaction.RunScript(statement);
  transaction.Commit();
}

}  // namespace fluxnetes::queue
