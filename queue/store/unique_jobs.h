// One insert's unique jobs: which of them are there already, in the database or
// earlier in the same insert. Claims their keys in the constructor, so that
// nobody else inserts them until the transaction ends; of this folder only.
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

  // Whether the job at this place is to be inserted.
  bool IsFirst(std::size_t place) const { return places_[place].first; }

  // Given what became of those, notes whose the keys are now and says what
  // became of all.
  std::vector<Inserted> Finish(const std::vector<Inserted>& inserted);

 private:
  struct Place {
    bool first = true;
    std::string key = {};       // empty: not unique
    std::int64_t existing = 0;  // has the key
    std::size_t same_as = 0;    // the first of this insert with the key
  };

  void Claim(std::span<const NewJob> jobs);
  void FindKept();

  sql::Transaction& transaction_;
  std::vector<Place> places_;
};

}  // namespace fluxnetes::queue
