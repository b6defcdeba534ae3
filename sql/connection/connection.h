// One connection to PostgreSQL, for this folder only: the pool lends
// connections and the listener owns one. Opening it sets the schema and the
// limits; a broken connection stays broken.
//
// Used by one thread. Throws Error.
// Tests: tests/sql/connection/pool_pgtest.cc,
// tests/sql/connection/transaction_pgtest.cc.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sql/connection/pool.h"
#include "sql/connection/pool_counts.h"
#include "sql/connection/session.h"
#include "sql/query.h"
#include "sql/values/parameter.h"

namespace fluxnetes::sql {

struct ClearAnswer {
  void operator()(PGresult* answer) const { PQclear(answer); }
};
// A result of PostgreSQL that is not an error.
using Answer = std::unique_ptr<PGresult, ClearAnswer>;

std::string QuoteIdentifier(std::string_view name);

// Call in a handler: rethrows the current exception of libpqxx as an Error.
[[noreturn]] void ThrowAsError();

// Returns statements that set the schema and the limits of a session (`set`:
// "SET") or of the transaction ("SET LOCAL").
std::string SettingsOf(const PoolOptions& options, std::string_view set);

class Connection {
 public:
  // Throws std::invalid_argument for invalid options.
  explicit Connection(const PoolOptions& options);

  // Executes one or several statements; returns the last result.
  Answer Execute(const std::string& text);
  Answer Execute(const std::string& text,
                 const std::vector<Parameter>& parameters);
  // Prepares the query unless this connection has done so before. Parsing is
  // the larger part of most queries, so one that is never run is not prepared.
  void Prepare(const Query& query);
  Answer ExecutePrepared(const Query& query,
                         const std::vector<Parameter>& parameters);

  // Runs a COPY ... FROM STDIN (FORMAT binary) with the rows that `next`
  // appends, one at a time, until it returns false.
  void Copy(const std::string& statement,
            const std::function<bool(std::string&)>& next);

  Session& session() { return *session_; }

  // True if an idle connection has input, which means that it is about to
  // break.
  bool IsBroken() const;

 private:
  // Throws if the result is an error.
  Answer Checked(PGresult* answer);

  std::unique_ptr<Session> session_;
  std::string schema_;
  std::unordered_map<std::string_view, std::string_view> prepared_;  // texts
};

// A connection borrowed from a pool; the destructor returns it unless
// Discard(), which counts it as broken, or Close() was called.
class PooledConnection {
 public:
  explicit PooledConnection(Pool& pool);
  ~PooledConnection();
  PooledConnection(const PooledConnection&) = delete;
  PooledConnection& operator=(const PooledConnection&) = delete;

  Connection* operator->() { return connection_.get(); }
  void Discard() { discard_ = broken_ = true; }
  void Close() { discard_ = true; }

  static StatementTally& TallyOf(Pool& pool);
  static PoolCounts CountsOf(const Pool& pool);

 private:
  // What the constructor and the destructor do, where the lock is checked.
  void Take();
  void Return();

  Pool& pool_;
  std::unique_ptr<Connection> connection_;
  int generation_ = 0;
  bool discard_ = false;
  bool broken_ = false;
};

}  // namespace fluxnetes::sql
