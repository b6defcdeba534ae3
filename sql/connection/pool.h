// The connections to one PostgreSQL database. A connection is opened when one
// is asked for and none is free; it sets the schema, prepares every query of
// the catalogues, and is thrown away, never revived, once it
// broke.
//
// Statements are short: they are never compiled (jit).
//
// Thread-safe. Waits up to `acquire_timeout` for a connection to be free, then
// throws Error (kUnavailable), as it does when the server cannot be reached.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sql/error.h"
#include "sql/query.h"

namespace fluxnetes::sql {

class Connection;  // one connection; see connection.h, of this folder only

struct PoolOptions {
  // A libpq connection string or URI. Passwords belong into a password file or
  // PGPASSWORD; errors never repeat this string.
  std::string connection;
  std::string schema = "fluxnetes";
  std::string application_name = "fluxnetes";
  int max_connections = 8;
  std::chrono::milliseconds acquire_timeout{10'000};
  std::chrono::milliseconds connect_timeout{5'000};
  // Server-side limit for one statement; 0 is none.
  std::chrono::milliseconds statement_timeout{60'000};
  // A transaction that does nothing for so long is undone by the server, so
  // that a process that was stopped in the middle of one holds up nobody; 0 is
  // never.
  std::chrono::milliseconds idle_transaction_timeout{10'000};
  // Plans never read a whole table where an index would do, join row by row,
  // and are made once. For programs whose every statement names the rows that
  // it wants: a plan made while a table was small, or before it was ever
  // analysed, then still fits when it has grown.
  bool by_index_only = false;
  // Between us and the server stands a proxy that gives each transaction
  // whatever connection is free (pgbouncer with pool_mode = transaction).
  // Nothing outlives a transaction there: queries are prepared nowhere, each
  // transaction sets for itself what a connection would have been set to, and a
  // Listener hears nothing, so that everybody polls.
  bool transaction_pooling = false;
  // Prepared at connect, each list under its own names.
  std::vector<std::span<const Query>> catalogues;
};

class Pool {
 public:
  explicit Pool(PoolOptions options);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  const PoolOptions& options() const;

  // How many connections have broken so far. As long as this is the same, the
  // server has not gone down, and what was committed without waiting for its
  // disk (Durability::kNoWait) is still there. Behind a proxy it says nothing.
  std::int64_t broken() const { return broken_; }

  // Closes idle connections; those in use are closed when they come back.
  void CloseAll();

 private:
  friend class Transaction;
  friend class PooledConnection;
  struct State;
  std::unique_ptr<State> state_;
  std::atomic<std::int64_t> broken_ = 0;
};

}  // namespace fluxnetes::sql
