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
  std::size_t waiting = 0;
  {
    const sql::MutexLock lock(mutex_);
    for (const auto& [queue, handed] : waiting_) waiting += handed.size();
  }
  const std::int64_t client = client_.id();
  const auto room =
      static_cast<std::int64_t>(capacity_ - std::min(capacity_, waiting));
  std::vector<Job> inserted =
      jobs_.InsertLeased(transaction, jobs, {client, room, as_leader});
  std::vector<Job> leased;
  std::ranges::copy_if(inserted, std::back_inserter(leased),
                       [](const Job& job) { return job.attempt > 0; });
  if (!leased.empty()) {
    transaction.AfterCommit([this, client, leased](bool known) {
      if (known)
        Deliver(client, leased);
      else
        jobs_.Withdraw(client);
    });
  }
  return inserted;
}

std::vector<Job> Handover::Take(const std::string& queue, int limit) {
  const std::int64_t client = client_.id();
  std::vector<Job> taken;
  const sql::MutexLock lock(mutex_);
  const auto found = waiting_.find(queue);
  if (found == waiting_.end()) return taken;
  std::deque<Handed>& waiting = found->second;
  while (!waiting.empty() && std::ssize(taken) < limit) {
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
