#include "queue/store/inserter.h"

#include <utility>

namespace fluxnetes::queue {

std::vector<Inserted> Inserter::Insert(sql::Transaction& transaction,
                                       Jobs jobs) {
  return CallFrom(0, transaction, std::move(jobs));
}

std::vector<Inserted> Inserter::Insert(Jobs jobs) {
  sql::Transaction transaction(pool_);
  std::vector<Inserted> inserted = Insert(transaction, std::move(jobs));
  transaction.Commit();
  return inserted;
}

std::vector<Inserted> Inserter::CallFrom(std::size_t first,
                                         sql::Transaction& transaction,
                                         Jobs jobs) {
  if (first == around_.size()) return queue_.Insert(transaction, jobs);
  return around_[first](transaction, std::move(jobs), [&](Jobs passed) {
    return CallFrom(first + 1, transaction, std::move(passed));
  });
}

}  // namespace fluxnetes::queue
