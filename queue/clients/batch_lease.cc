#include "queue/clients/batch_lease.h"

#include <utility>

namespace fluxnetes::queue {

BatchLease::BatchLease(WorkQueue& jobs, const Client& client, std::string queue,
                       sql::Durability durability)
    : jobs_(jobs),
      client_(client),
      queue_(std::move(queue)),
      durability_(durability) {}

std::vector<Job> BatchLease::Lease(int limit) {
  if (!open_.empty()) {
    jobs_.Finish(open_);
    open_.clear();
  }
  std::vector<Job> leased =
      jobs_.Lease(queue_, client_.id(), limit, InDoubt::kWithdraw, durability_);
  for (const Job& job : leased) {
    open_.push_back(
        {.id = job.id, .attempt = job.attempt, .outcome = Outcome::kSnoozed});
  }
  return leased;
}

void BatchLease::Done() { open_.clear(); }

}  // namespace fluxnetes::queue
