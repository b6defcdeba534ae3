// Who owns a thing that only one may own at a time: a row in `leaders`, held by
// a client as long as that is alive, in terms that only rise.
//
// What is written in a term must be fenced: the transaction calls Check(),
// which reads the row FOR SHARE, so a takeover waits for that transaction or
// the transaction sees the new term and throws LostTerm.
//
// One object per process and name, used by one thread.
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

  // Takes over if nobody owns it or the owner is dead. Returns the term if this
  // client owns it, whether it did before or does now; nothing if another does.
  // A change of term between two calls means that state must be loaded anew.
  std::optional<std::int64_t> TryAcquire();

  // Throws LostTerm unless `term` is still the current one, and holds it so
  // until the transaction ends.
  void Check(sql::Transaction& transaction, std::int64_t term);

  // Writes that the term goes on, which a server that takes no changes refuses
  // with an Error; false: it is over.
  bool Confirm(std::int64_t term);

  // Gives it up; others may take it at once.
  void Resign();

 private:
  sql::Pool& pool_;
  const Client& client_;
  std::string name_;
};

}  // namespace fluxnetes::queue
