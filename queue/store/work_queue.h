// The durable queue of jobs (job.h has the states). A job is leased to one
// client at a time; the lease holds as long as that client's heartbeat does
// (client.h).
//
// A function with a transaction parameter takes part in the caller's
// transaction and has effect when that commits. Every change of a running job
// names the attempt of its lease, so a client that lost its lease changes
// nothing and learns of the loss.
//
// Thread-safe. Throws sql::Error when PostgreSQL fails, JobError for an invalid
// job (priority 0, empty kind, args that are not an object), before anything is
// sent to PostgreSQL.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "queue/jobs/job.h"
#include "queue/jobs/job_error.h"
#include "queue/store/leasing.h"
#include "sql/connection/pool.h"
#include "sql/connection/transaction.h"
#include "sql/mutex.h"

namespace fluxnetes::queue {

class JobNotifier;

// How to treat a client after a lease of unknown outcome.
enum class InDoubt { kWithdraw, kLeave };

class WorkQueue {
 public:
  // With a notifier, which must outlive this object, inserts in transactions
  // of their own notify through it; without one each sends its own NOTIFY.
  explicit WorkQueue(sql::Pool& pool, JobNotifier* notifier = nullptr,
                     LeaseOptions options = {});

  // Inserts the jobs in one statement and returns one result per job, in order.
  // Unique jobs take three more statements; of several sessions that insert the
  // same one, the others wait until the first has committed. Announces each
  // queue once, at the commit (NOTIFY "<schema>.jobs" with the queue's name),
  // unless `announce` is false because the caller notifies by itself.
  std::vector<Inserted> Insert(sql::Transaction& transaction,
                               std::span<const NewJob> jobs,
                               bool announce = true);
  // Likewise, in a transaction of its own.
  std::vector<Inserted> Insert(std::span<const NewJob> jobs);

  // Inserts jobs that are leased to a client at once, as if a lease had
  // followed, for a caller that works on them next (handover.h). Returns all of
  // them, in order; those without an attempt were left available. Announces
  // nothing. The jobs have no options (JobError). If the outcome of the
  // transaction is unknown, call Withdraw().
  std::vector<Job> InsertLeased(sql::Transaction& transaction,
                                std::span<const NewJob> jobs,
                                const LeaseOfNew& lease);
  // Notifies the workers of the queues.
  static void Announce(sql::Transaction& transaction,
                       const std::vector<std::string>& queues);

  // Inserts by COPY, streamed in pieces: for very many jobs in one transaction,
  // none of them unique (JobError). Announces like Insert.
  void InsertCopy(sql::Transaction& transaction, std::span<const NewJob> jobs);

  // Leases up to `limit` available jobs of the queue to the client, by
  // priority, then scheduled_at, then id, in a transaction of its own. Skips
  // jobs that others are leasing at the moment. Returns none for a paused
  // queue, and none to a client that is not registered or whose heartbeat is
  // late. After an Error in doubt it is unknown which jobs the client has: the
  // next call removes the client, which will register again, unless the caller
  // clears up the doubt itself (kLeave).
  std::vector<Job> Lease(const std::string& queue, std::int64_t client,
                         int limit, InDoubt in_doubt = InDoubt::kWithdraw,
                         sql::Durability durability = sql::Durability::kWait)
      EXCLUDES(mutex_);
  // Likewise, in the caller's transaction, which should be short: the jobs are
  // locked until it ends. A caller that leases in no other way calls
  // MoveMarks() between transactions; otherwise another's open transaction
  // makes leases slow.
  std::vector<Job> Lease(sql::Transaction& transaction,
                         const std::string& queue, std::int64_t client,
                         int limit);

  // Notes that a client may have leases of which it does not know: the next
  // lease that the doubt concerns (InDoubt) removes the client.
  void Withdraw(std::int64_t client) EXCLUDES(mutex_);

  void MoveMarks(const std::string& queue);

  // Records how jobs ended. Returns, for each result, whether it was accepted:
  // false means that the lease was lost and nothing was changed. Finished jobs
  // move to jobs_finished. A failed job is retried later or discarded at its
  // last attempt; a snooze uses up no attempt; either ends a job that was asked
  // to cancel as cancelled. After an Error, in doubt or not, call again: until
  // the result is accepted or refused, the job stays leased to its living
  // client.
  std::vector<bool> Finish(sql::Transaction& transaction,
                           std::span<const JobResult> results);
  std::vector<bool> Finish(std::span<const JobResult> results);

  // Throws JobError for a queue that has no waiting job and is not paused, so
  // that a misspelt name is noticed.
  void Pause(const std::string& queue);
  void Resume(const std::string& queue);

  // Makes scheduled and retryable jobs available whose time has come. Returns
  // their number. Any client may call it; the maintenance leader does.
  int MakeDueAvailable();

  // Makes the running jobs of dead and removed clients available again (or
  // discards them after their last attempt) and removes those clients. Returns
  // the number of jobs.
  int Rescue();

 private:
  void WithdrawDoubtful() EXCLUDES(mutex_);

  sql::Pool& pool_;
  JobNotifier* const notifier_;
  Leasing leasing_;

  sql::Mutex mutex_;
  // Clients of leases in doubt.
  std::vector<std::int64_t> doubtful_ GUARDED_BY(mutex_);
};

}  // namespace fluxnetes::queue
