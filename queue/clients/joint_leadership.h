// Several leaderships (leadership.h) that a client has together or not at all:
// who needs all of them for what it writes, as the owner of scheduling queues
// that share nodes does.
//
// Every acquisition begins new terms, of those too that the client had already:
// what it wrote before and does not know the outcome of is waited for.
//
// One object that acquires per process and set of names; each is used by one
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "queue/clients/client.h"
#include "queue/clients/leadership.h"
#include "sql/connection/pool.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::queue {

class JointLeadership {
 public:
  JointLeadership(sql::Pool& pool, const Client& client,
                  std::vector<std::string> names);

  // Takes over all of them in new terms, unless a living client has one. False:
  // nothing has changed.
  bool TryAcquire();

  // Takes note of the terms that the client has, which another object of the
  // process has begun: what is checked by them is written for its owner. False:
  // it has not all.
  bool Follow(sql::Transaction& transaction);

  // Throws LostTerm unless all terms are current, and holds them so until the
  // transaction ends.
  void Check(sql::Transaction& transaction) const;

  // Checks the terms, then takes over what others have leased from these
  // queues: for queues that nobody else leases from, so that who leads them
  // need not wait until those who died are rescued. Each job is in an attempt
  // of its own, and none is burnt. Returns how many.
  int TakeLeasesOver(sql::Transaction& transaction,
                     const std::vector<std::string>& queues) const;

  // Of the last acquisition; 0 before the first.
  std::int64_t TermOf(const std::string& name) const;

  // Gives all up that it has; others may take them at once.
  void Resign();

 private:
  sql::Pool& pool_;
  const Client& client_;
  std::vector<std::string> names_;             // in order, each once
  std::map<std::string, std::int64_t> terms_;  // by name
};

}  // namespace fluxnetes::queue
