// The connections to one PostgreSQL database. A connection is opened on demand
// if none is free; it sets the schema, and prepares a query of the catalogues
// when it first runs it. A broken connection is closed and never reused.
//
// Statements are short, so JIT compilation is off.
//
// Thread-safe. Waits up to `acquire_timeout` for a free connection, then throws
// Error (kUnavailable), as it does if the server is unreachable.
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

class Connection;  // see connection.h, for this folder only

struct PoolOptions {
  // A libpq connection string or URI. Put passwords in a password file or
  // PGPASSWORD; errors never repeat this string.
  std::string connection;
  std::string schema = "fluxnetes";
  std::string application_name = "fluxnetes";
  int max_connections = 8;
  std::chrono::milliseconds acquire_timeout{10'000};
  std::chrono::milliseconds connect_timeout{5'000};
  // Server-side limit for one statement; 0: none.
  std::chrono::milliseconds statement_timeout{60'000};
  // The server rolls back a transaction that is idle for this long, so that a
  // process stopped in the middle of one blocks nobody; 0: never.
  std::chrono::milliseconds idle_transaction_timeout{10'000};
  // Plans read by index, join by nested loops only, and are made once; if false
  // they may join by hash and are made for each execution. For programs whose
  // statements name the rows that they need: a plan made while a table was
  // small, or not yet analysed, still fits when the table has grown.
  bool by_index_only = false;
  // Connections go through a proxy that gives each transaction any free server
  // connection (pgbouncer with pool_mode = transaction). No session state
  // outlives a transaction there: queries are not prepared, each transaction
  // sets its own settings, and a Listener receives nothing, so that its users
  // poll.
  bool transaction_pooling = false;
  // The queries that may be run; each list has its own names.
  std::vector<std::span<const Query>> catalogues;
};

class Pool {
 public:
  explicit Pool(PoolOptions options);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  const PoolOptions& options() const;

  // The number of connections that have broken so far. While it is unchanged
  // the server has not crashed, and transactions committed without waiting for
  // its disk (Durability::kNoWait) are still there. Behind a proxy it means
  // nothing.
  std::int64_t broken() const { return broken_; }

  // Closes idle connections now and those in use on their return.
  void CloseAll();

 private:
  friend class Transaction;
  friend class PooledConnection;
  struct State;
  std::unique_ptr<State> state_;
  std::atomic<std::int64_t> broken_ = 0;
};

}  // namespace fluxnetes::sql
