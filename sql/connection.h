// One connection to PostgreSQL, of this folder only: what the pool hands out
// and the listener owns. Opening it sets the schema and the limits and prepares
// the queries; once it broke it stays broken.
//
// One thread. Throws Error.
#pragma once

#include <memory>
#include <pqxx/pqxx>
#include <string>
#include <string_view>

#include "sql/pool.h"

namespace fluxnetes::sql {

// To be called in a handler: throws the exception in flight as an Error. With
// `committing`, a lost connection leaves the outcome in doubt.
[[noreturn]] void ThrowAsError(bool committing = false);

std::string QuoteIdentifier(std::string_view name);

// Statements that give a session (`set`: "SET") or the transaction ("SET
// LOCAL") its schema and its limits.
std::string SettingsOf(const PoolOptions& options, std::string_view set);

class Connection {
 public:
  // Throws std::invalid_argument if the options cannot be right.
  explicit Connection(const PoolOptions& options);

  pqxx::connection& raw() { return raw_; }

  // An idle connection has nothing to say; one that does is about to break.
  bool IsBroken() const;

 private:
  void Configure(const PoolOptions& options);
  void PrepareAll(const PoolOptions& options);

  pqxx::connection raw_;
};

// A connection on loan from a pool; goes back at the end unless Discard() was
// called.
class PooledConnection {
 public:
  explicit PooledConnection(Pool& pool);
  ~PooledConnection();
  PooledConnection(const PooledConnection&) = delete;
  PooledConnection& operator=(const PooledConnection&) = delete;

  Connection* operator->() { return connection_.get(); }
  void Discard() { discard_ = true; }

 private:
  Pool& pool_;
  std::unique_ptr<Connection> connection_;
  int generation_ = 0;
  bool discard_ = false;
};

}  // namespace fluxnetes::sql
