// One connection to PostgreSQL, of this folder only: what the pool hands out
// and the listener owns. Opening it sets the schema and the limits and prepares
// the queries; once it broke it stays broken.
//
// One thread. Throws Error.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sql/connection/pool.h"
#include "sql/connection/pool_counts.h"
#include "sql/connection/session.h"
#include "sql/values/parameter.h"

namespace fluxnetes::sql {

struct ClearAnswer {
  void operator()(PGresult* answer) const { PQclear(answer); }
};
// What PostgreSQL answered; not an error.
using Answer = std::unique_ptr<PGresult, ClearAnswer>;

std::string QuoteIdentifier(std::string_view name);

// A failure of libpqxx, to be called in a handler: throws it as an Error.
[[noreturn]] void ThrowAsError();

// Statements that give a session (`set`: "SET") or the transaction ("SET
// LOCAL") its schema and its limits.
std::string SettingsOf(const PoolOptions& options, std::string_view set);

class Connection {
 public:
  // Throws std::invalid_argument if the options cannot be right.
  explicit Connection(const PoolOptions& options);

  // Several statements at once; the answer is the last one's.
  Answer Execute(const std::string& text);
  Answer Execute(const std::string& text,
                 const std::vector<Parameter>& parameters);
  Answer ExecutePrepared(const std::string& name,
                         const std::vector<Parameter>& parameters);

  // Runs a COPY ... FROM STDIN (FORMAT binary) with the rows that `next`
  // appends, one at a time, until it returns false.
  void Copy(const std::string& statement,
            const std::function<bool(std::string&)>& next);

  Session& session() { return *session_; }

  // An idle connection has nothing to say; one that does is about to break.
  bool IsBroken() const;

 private:
  void PrepareAll(const PoolOptions& options);
  // Throws if it is an error.
  Answer Checked(PGresult* answer);

  std::unique_ptr<Session> session_;
};

// A connection on loan from a pool; goes back at the end unless Discard() was
// called, which counts it as broken, or Close().
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
  Pool& pool_;
  std::unique_ptr<Connection> connection_;
  int generation_ = 0;
  bool discard_ = false;
  bool broken_ = false;
};

}  // namespace fluxnetes::sql
