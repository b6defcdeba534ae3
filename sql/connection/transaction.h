// A transaction on a connection of a pool: the constructor begins it, the
// destructor rolls it back unless Commit() was called. All SQL runs here.
//
//   sql::Transaction transaction(pool);
//   transaction.Run(queries::kPromoteGroups, now, limit);
//   transaction.Commit();
//
// Used by one thread. Throws Error; after that only the destructor may follow.
// Commit() throws Error with InDoubt() if the connection broke while the commit
// was in flight.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sql/connection/interrupt.h"
#include "sql/connection/pool.h"
#include "sql/connection/result.h"
#include "sql/query.h"
#include "sql/values/copy_row.h"
#include "sql/values/parameter.h"

namespace fluxnetes::sql {

enum class Isolation { kReadCommitted, kRepeatableRead, kReadOnly };

// Whether Commit() waits until the changes are on the server's disk. If not, a
// crash of the server within the next second may undo the whole transaction,
// but not once a later transaction that waited has been committed. Behind a
// proxy (PoolOptions::transaction_pooling) it always waits: a program that
// reloads its state when Pool::broken() changes would not notice the crash.
enum class Durability { kWait, kNoWait };

class Transaction {
 public:
  explicit Transaction(Pool& pool,
                       Isolation isolation = Isolation::kReadCommitted,
                       Durability durability = Durability::kWait);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  // Runs a prepared query of the pool's catalogues.
  template <int kParameters, typename... Arguments>
  Result Run(const QueryWith<kParameters>& query,
             const Arguments&... arguments) {
    static_assert(sizeof...(Arguments) == kParameters,
                  "the query has another number of parameters");
    return RunPrepared(query, {Parameter(arguments)...});
  }
  // Likewise, for a query that is chosen at run time.
  template <typename... Arguments>
  Result Run(const Query& query, const Arguments&... arguments) {
    return RunPrepared(query, {Parameter(arguments)...});
  }

  // Runs text that is not in a catalogue: the migrator's scripts (several
  // statements at once), queries of tests. Never built from input.
  Result RunScript(std::string_view text);

  // COPY table (columns) FROM STDIN, row by row: calls `write` with each row
  // number. An exception of `write` rolls the transaction back.
  void Copy(std::string_view table, const std::vector<std::string>& columns,
            std::size_t rows,
            const std::function<void(std::size_t, CopyRow&)>& write);

  void Commit();

  // Calls `step` at the end of Commit(): with true if it has succeeded, with
  // false if its outcome is unknown. Never after a failure or a rollback. It
  // must not throw.
  void AfterCommit(std::function<void(bool known)> step);

 private:
  friend class Migrator;
  friend Result RunPreparedAlone(Pool& pool, const Query& query,
                                 const std::vector<Parameter>& parameters);
  // Runs text with parameters without preparing it: queries of the migrator
  // before the tables exist.
  Result RunUnprepared(std::string_view text,
                       const std::vector<Parameter>& parameters);
  Result RunPrepared(const Query& query,
                     const std::vector<Parameter>& parameters);

  struct State;
  std::unique_ptr<State> state_;
};

// Runs a prepared query that is a transaction by itself, in one round trip
// instead of three (under transaction pooling it takes three). Throws Error,
// with InDoubt() if the connection broke while it ran.
Result RunPreparedAlone(Pool& pool, const Query& query,
                        const std::vector<Parameter>& parameters);
template <int kParameters, typename... Arguments>
Result RunAlone(Pool& pool, const QueryWith<kParameters>& query,
                const Arguments&... arguments) {
  static_assert(sizeof...(Arguments) == kParameters,
                "the query has another number of parameters");
  return RunPreparedAlone(pool, query, {Parameter(arguments)...});
}
template <typename... Arguments>
Result RunAlone(Pool& pool, const Query& query, const Arguments&... arguments) {
  return RunPreparedAlone(pool, query, {Parameter(arguments)...});
}

// Runs a statement that PostgreSQL allows only outside a transaction, such as
// DETACH PARTITION CONCURRENTLY, and waits at most `lock_timeout` for each
// lock; 0: no limit, the only value that transaction pooling allows. Never
// built from input.
void RunOutside(Pool& pool, std::string_view statement,
                std::chrono::milliseconds lock_timeout,
                Interrupt* interrupt = nullptr);

}  // namespace fluxnetes::sql
