// The unique jobs of one insert: finds which of them exist already, in the
// database or earlier in the same insert. The constructor claims their keys, so
// that no other transaction inserts them until this one ends; for this folder
// only.
// Tests: tests/queue/store/unique_pgtest.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "queue/jobs/job.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::queue {

class UniqueJobs {
 public:
  UniqueJobs(sql::Transaction& transaction, std::span<const NewJob> jobs);

  // True if the job at this index is to be inserted.
  bool IsFirst(std::size_t place) const { return places_[place].first; }

  // Given the results of these inserts, records the owners of the keys and
  // returns the results of all jobs.
  std::vector<Inserted> Finish(const std::vector<Inserted>& inserted);

 private:
  struct Place {
    bool first = true;
    std::string key = {};       // empty: not unique
    std::int64_t existing = 0;  // the job that has the key
    std::size_t same_as = 0;    // first job of this insert with the key
  };

  void Claim(std::span<const NewJob> jobs);
  void FindKept();

  sql::Transaction& transaction_;
  std::vector<Place> places_;
};

}  // namespace fluxnetes::queue
