#include "queue/store/work_queue.h"

#include "queue/store/insertion.h"
#include "queue/store/job_notifier.h"
#include "queue/store/jobs_queries.h"
#include "queue/store/results.h"

namespace fluxnetes::queue {
namespace {

// Rows that one housekeeping statement changes.
constexpr int kUpkeepBatch = 1'000;

JobError UnknownQueue(const std::string& queue) {
  return {JobError::Code::kUnknownQueue,
          "there is no queue '" + queue + "': no job waits in it"};
}

}  // namespace

WorkQueue::WorkQueue(sql::Pool& pool, JobNotifier* notifier,
                     LeaseOptions options)
    : pool_(pool), notifier_(notifier), leasing_(pool, options) {}

std::vector<Inserted> WorkQueue::Insert(sql::Transaction& transaction,
                                        std::span<const NewJob> jobs,
                                        bool announce) {
  return InsertJobs(transaction, jobs, announce);
}

std::vector<Inserted> WorkQueue::Insert(std::span<const NewJob> jobs) {
  std::vector<Inserted> inserted =
      InsertJobsAlone(pool_, jobs, notifier_ == nullptr);
  if (notifier_ != nullptr)
    for (const std::string& queue : QueuesOf(jobs)) notifier_->Notify(queue);
  return inserted;
}

std::vector<Job> WorkQueue::InsertLeased(sql::Transaction& transaction,
                                         std::span<const NewJob> jobs,
                                         const LeaseOfNew& lease) {
  return InsertLeasedJobs(transaction, jobs, lease);
}

void WorkQueue::Announce(sql::Transaction& transaction,
                         const std::vector<std::string>& queues) {
  transaction.Run(queries::kAnnounceQueues, queues);
}

void WorkQueue::InsertCopy(sql::Transaction& transaction,
                           std::span<const NewJob> jobs) {
  CopyJobs(transaction, jobs);
}

std::vector<Job> WorkQueue::Lease(const std::string& queue, std::int64_t client,
                                  int limit, InDoubt in_doubt,
                                  sql::Durability durability) {
  if (in_doubt == InDoubt::kWithdraw) WithdrawDoubtful();
  try {
    return leasing_.Lease(queue, client, limit, durability);
  } catch (const sql::Error& error) {
    if (!error.InDoubt() || in_doubt == InDoubt::kLeave) throw;
    Withdraw(client);
    throw;
  }
}

void WorkQueue::Withdraw(std::int64_t client) {
  const sql::MutexLock lock(mutex_);
  doubtful_.push_back(client);
}

std::vector<Job> WorkQueue::Lease(sql::Transaction& transaction,
                                  const std::string& queue, std::int64_t client,
                                  int limit) {
  return leasing_.Lease(transaction, queue, client, limit);
}

void WorkQueue::MoveMarks(const std::string& queue) { leasing_.Glance(queue); }

void WorkQueue::WithdrawDoubtful() {
  const sql::MutexLock lock(mutex_);
  if (doubtful_.empty()) return;
  sql::RunAlone(pool_, queries::kWithdrawClients, doubtful_);
  doubtful_.clear();
}

std::vector<bool> WorkQueue::Finish(sql::Transaction& transaction,
                                    std::span<const JobResult> results) {
  return RecordResults(transaction, results);
}

std::vector<bool> WorkQueue::Finish(std::span<const JobResult> results) {
  return RecordResultsAlone(pool_, results);
}

void WorkQueue::Pause(const std::string& queue) {
  if (sql::RunAlone(pool_, queries::kPauseQueue, queue).empty())
    throw UnknownQueue(queue);
}

void WorkQueue::Resume(const std::string& queue) {
  if (!sql::RunAlone(pool_, queries::kResumeQueue, queue)[0].Get<bool>(0))
    throw UnknownQueue(queue);
}

int WorkQueue::MakeDueAvailable() {
  int total = 0;
  for (int batch = kUpkeepBatch; batch == kUpkeepBatch; total += batch) {
    batch = 0;
    for (const sql::Row row :
         sql::RunAlone(pool_, queries::kMakeDueAvailable, kUpkeepBatch))
      batch += row.Get<int>("jobs");
  }
  return total;
}

int WorkQueue::Rescue() {
  sql::RunAlone(pool_, queries::kForgetDeadClients);
  sql::RunAlone(pool_, queries::kForgetRewinds);
  int total = 0;
  for (int batch = kUpkeepBatch; batch == kUpkeepBatch; total += batch) {
    sql::Transaction transaction(pool_);
    std::vector<std::string> queues;
    batch = 0;
    for (const sql::Row row :
         transaction.Run(queries::kRescueJobs, kUpkeepBatch)) {
      batch += row.Get<int>("jobs");
      if (const auto queue = row.Find<std::string>("queue"))
        queues.push_back(*queue);
    }
    if (!queues.empty()) transaction.Run(queries::kAnnounceQueues, queues);
    transaction.Commit();
  }
  return total;
}

}  // namespace fluxnetes::queue
