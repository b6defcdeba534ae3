// Several leaderships (leadership.h) that a client holds together or not at
// all, for writers that need all of them, such as the owner of scheduling
// queues that share nodes.
//
// Every acquisition starts new terms, also of names that the client already
// leads. The takeover thereby waits for its own earlier writes of unknown
// outcome.
//
// One object per process and set of names acquires; each object is used by one
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

  // Takes over all names in new terms, unless a living client leads one of
  // them. False: nothing has changed.
  bool TryAcquire();

  // Reads the client's current terms, which another object of the process
  // started, so that this object's checks hold for that owner. False: the
  // client does not have all.
  bool Follow(sql::Transaction& transaction);

  // Throws LostTerm unless all terms are current; keeps them current until the
  // transaction ends.
  void Check(sql::Transaction& transaction) const;

  // Checks the terms, then takes over the jobs that other clients have leased
  // from these queues. For queues that only their leader leases from, so that
  // it need not wait until jobs of dead clients are rescued. Each job gets a
  // new attempt, and none is used up. Returns the number of jobs.
  int TakeLeasesOver(sql::Transaction& transaction,
                     const std::vector<std::string>& queues) const;

  // The term of the last acquisition; 0 before the first.
  std::int64_t TermOf(const std::string& name) const;

  // Gives up all that it leads; other clients may take them at once.
  void Resign();

 private:
  sql::Pool& pool_;
  const Client& client_;
  std::vector<std::string> names_;             // sorted, without duplicates
  std::map<std::string, std::int64_t> terms_;  // by name
};

}  // namespace fluxnetes::queue
