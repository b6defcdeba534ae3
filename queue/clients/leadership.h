// Leader election: a row in `leaders`, held by one client as long as the client
// is alive, in terms that only rise.
//
// Writes in a term must be fenced: the transaction calls Check(), which reads
// the row FOR SHARE. Either a takeover waits for that transaction, or the
// transaction sees the new term and throws LostTerm.
//
// One object per process and name; used by one thread.
// Tests: tests/queue/clients/client_pgtest.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "queue/clients/client.h"
#include "sql/connection/pool.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::queue {

class LostTerm : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Leadership {
 public:
  Leadership(sql::Pool& pool, const Client& client, std::string name);

  // Takes over if nobody leads or the leader is dead. Returns the term if this
  // client leads, newly or still; nothing if another client does. If the term
  // differs between two calls, state must be loaded again.
  std::optional<std::int64_t> TryAcquire();

  // Throws LostTerm unless `term` is current; keeps it current until the
  // transaction ends.
  void Check(sql::Transaction& transaction, std::int64_t term);

  // Writes that the term continues, which a read-only server refuses with an
  // Error. False: the term is over.
  bool Confirm(std::int64_t term);

  // Gives up the leadership; other clients may take it at once.
  void Resign();

 private:
  sql::Pool& pool_;
  const Client& client_;
  std::string name_;
};

}  // namespace fluxnetes::queue
