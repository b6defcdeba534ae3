#include "queue/clients/batch_lease.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fluxnetes::queue {
namespace {

// Longer than a loop that leases rests, so that the first look of an idle loop
// finds what was handed over.
constexpr std::chrono::seconds kTableLook{2};

}  // namespace

BatchLease::BatchLease(WorkQueue& jobs, const Client& client, std::string queue,
                       sql::Durability durability, Handover* handover)
    : jobs_(jobs),
      client_(client),
      queue_(std::move(queue)),
      durability_(durability),
      handover_(handover) {}

std::vector<Job> BatchLease::Lease(int limit) {
  if (!open_.empty()) {
    jobs_.Finish(open_);
    open_.clear();
  }
  std::vector<Job> leased = TakeOrLease(limit);
  KeepOpen(leased);
  return leased;
}

void BatchLease::KeepOpen(const std::vector<Job>& leased) {
  for (const Job& job : leased) {
    open_.push_back(
        {.id = job.id, .attempt = job.attempt, .outcome = Outcome::kSnoozed});
  }
}

std::vector<Job> BatchLease::TakeOrLease(int limit) {
  const auto now = std::chrono::steady_clock::now();
  if (handover_ != nullptr && now < next_look_) {
    std::vector<Job> handed = handover_->Take(queue_, limit);
    if (!handed.empty()) return handed;
  }
  next_look_ = now + kTableLook;
  std::vector<Job> leased =
      jobs_.Lease(queue_, client_.id(), limit, InDoubt::kWithdraw, durability_);
  if (handover_ == nullptr) return leased;
  std::ranges::move(handover_->Take(queue_, limit - std::ssize(leased)),
                    std::back_inserter(leased));
  return leased;
}

void BatchLease::Done() {
  open_.clear();
  if (handover_ != nullptr) handover_->Open(queue_);
}

void BatchLease::PutOff(std::chrono::milliseconds delay) {
  if (handover_ != nullptr) KeepOpen(handover_->Close(queue_));
  for (JobResult& result : open_) result.delay = delay;
  jobs_.Finish(open_);
  open_.clear();
}

}  // namespace fluxnetes::queue
