#include "queue/clients/handover.h"

#include <algorithm>
#include <set>
#include <utility>

namespace fluxnetes::queue {

std::vector<Inserted> Handover::Insert(sql::Transaction& transaction,
                                       std::span<const NewJob> jobs) {
  std::vector<Inserted> inserted;
  for (const Job& job : InsertLeased(transaction, jobs, /*as_leader=*/false))
    inserted.push_back({job.id});
  return inserted;
}

std::vector<Inserted> Handover::InsertAsLeader(sql::Transaction& transaction,
                                               std::span<const NewJob> jobs) {
  std::vector<Inserted> inserted;
  std::set<std::string> waiting;
  for (const Job& job : InsertLeased(transaction, jobs, /*as_leader=*/true)) {
    inserted.push_back({job.id});
    if (job.attempt == 0) waiting.insert(job.queue);
  }
  if (!waiting.empty())
    WorkQueue::Announce(transaction, {waiting.begin(), waiting.end()});
  return inserted;
}

std::vector<Job> Handover::InsertLeased(sql::Transaction& transaction,
                                        std::span<const NewJob> jobs,
                                        bool as_leader) {
  const LeaseOfNew lease = LeaseFor(jobs, as_leader);
  std::vector<Job> inserted = jobs_.InsertLeased(transaction, jobs, lease);
  std::vector<Job> leased;
  std::ranges::copy_if(inserted, std::back_inserter(leased),
                       [](const Job& job) { return job.attempt > 0; });
  if (!leased.empty()) {
    transaction.AfterCommit([this, client = lease.client, leased](bool known) {
      if (known)
        Deliver(client, leased);
      else
        jobs_.Withdraw(client);
    });
  }
  return inserted;
}

// What was handed to the client before it registered anew takes no room.
LeaseOfNew Handover::LeaseFor(std::span<const NewJob> jobs, bool as_leader) {
  const sql::MutexLock lock(mutex_);
  const std::int64_t client = client_.id();
  std::size_t waiting = 0;
  for (auto& [queue, handed] : waiting_) {
    std::erase_if(handed,
                  [&](const Handed& each) { return each.client != client; });
    waiting += handed.size();
  }
  if (std::ranges::any_of(jobs, [&](const NewJob& job) REQUIRES(mutex_) {
        return closed_.contains(job.queue);
      }))
    waiting = capacity_;
  return {client,
          static_cast<std::int64_t>(capacity_ - std::min(capacity_, waiting)),
          as_leader};
}

std::vector<Job> Handover::Take(const std::string& queue, int limit) {
  const sql::MutexLock lock(mutex_);
  return TakeLocked(queue, static_cast<std::size_t>(limit));
}

std::vector<Job> Handover::Close(const std::string& queue) {
  const sql::MutexLock lock(mutex_);
  closed_.insert(queue);
  return TakeLocked(queue, waiting_[queue].size());
}

void Handover::Open(const std::string& queue) {
  const sql::MutexLock lock(mutex_);
  closed_.erase(queue);
}

bool Handover::AnyWaits() const {
  const sql::MutexLock lock(mutex_);
  return std::ranges::any_of(
      waiting_, [](const auto& handed) { return !handed.second.empty(); });
}

// The client's id is read under the lock: none of what waits is for a later
// one.
std::vector<Job> Handover::TakeLocked(const std::string& queue,
                                      std::size_t limit) {
  const std::int64_t client = client_.id();
  std::vector<Job> taken;
  std::deque<Handed>& waiting = waiting_[queue];
  while (!waiting.empty() && taken.size() < limit) {
    if (waiting.front().client == client)
      taken.push_back(std::move(waiting.front().job));
    waiting.pop_front();
  }
  return taken;
}

void Handover::Deliver(std::int64_t client, const std::vector<Job>& jobs) {
  const sql::MutexLock lock(mutex_);
  for (const Job& job : jobs) waiting_[job.queue].push_back({client, job});
}

}  // namespace fluxnetes::queue
