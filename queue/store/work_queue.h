// The jobs that wait to be worked, are being worked, or failed and will be
// tried again (job.h has the picture). A job is leased to one client at a time;
// the lease holds as long as that client's heartbeat does (client.h).
//
// Whatever takes a transaction takes part in the caller's and is visible and
// true when that commits. Every change of a running job names the attempt it
// was leased in, so a client that lost its lease changes nothing and is told.
//
// Thread-safe. Throws sql::Error when PostgreSQL fails, JobError for a job that
// cannot be (priority 0, empty kind, args that are no object); nothing was sent
// to PostgreSQL then.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "queue/jobs/job.h"
#include "queue/jobs/job_error.h"
#include "queue/store/leasing.h"
#include "sql/connection/pool.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::queue {

class Announcer;

// What becomes of a client whose lease is in doubt.
enum class InDoubt { kWithdraw, kLeave };

class WorkQueue {
 public:
  // With an announcer, which must outlive it, inserts in transactions of their
  // own ring through that one; else each does by itself.
  explicit WorkQueue(sql::Pool& pool, Announcer* announcer = nullptr,
                     LeaseOptions options = {});

  // One statement for all; what became of each in the order of the jobs. Jobs
  // that are to be unique take three more, and of several sessions that insert
  // the same one, the others wait until the first has committed. Announces each
  // queue once, at the commit (NOTIFY "<schema>.jobs" with the queue's name),
  // unless `announce` is false because the caller rings a bell of its own.
  std::vector<Inserted> Insert(sql::Transaction& transaction,
                               std::span<const NewJob> jobs,
                               bool announce = true);
  // The same in a transaction of its own.
  std::vector<Inserted> Insert(std::span<const NewJob> jobs);

  // By COPY, in pieces as they are written: for very many in one transaction,
  // none of them unique (JobError). Announces like Insert.
  void InsertCopy(sql::Transaction& transaction, std::span<const NewJob> jobs);

  // Leases up to `limit` available jobs of the queue to the client, first by
  // priority, then by scheduled_at, then by id, in a transaction of its own.
  // Jobs that others are just leasing are passed over, a paused queue gives
  // none, and so does a client that is not registered or whose heartbeat is
  // late. After an Error in doubt nobody can tell what the client holds: it is
  // taken off the list by the next call, and will register anew, unless the
  // caller finds out by itself (kLeave).
  std::vector<Job> Lease(const std::string& queue, std::int64_t client,
                         int limit, InDoubt in_doubt = InDoubt::kWithdraw,
                         sql::Durability durability = sql::Durability::kWait);
  // The same in the caller's transaction, which should be short: the jobs are
  // locked until it ends. Who leases in no other way calls MoveMarks() between
  // transactions, lest an open transaction elsewhere makes leases slow.
  std::vector<Job> Lease(sql::Transaction& transaction,
                         const std::string& queue, std::int64_t client,
                         int limit);

  void MoveMarks(const std::string& queue);

  // Records how jobs ended. Returns, for each result, whether it was accepted:
  // false means that the lease was lost and nothing was changed. Finished jobs
  // move to jobs_finished. A failed one comes back later or is discarded at its
  // last attempt; a snooze burns no attempt; of one that is to be cancelled
  // both end it as cancelled. After an Error, in doubt or not, say it again:
  // until it is accepted or refused, the job stays with its living client.
  std::vector<bool> Finish(sql::Transaction& transaction,
                           std::span<const JobResult> results);
  std::vector<bool> Finish(std::span<const JobResult> results);

  // A queue that no job waits in and that nobody has paused is unknown: a
  // JobError, lest a slip of the pen pauses nothing.
  void Pause(const std::string& queue);
  void Resume(const std::string& queue);

  // Makes scheduled and retryable jobs available whose time has come. Returns
  // how many. Any client may do it; the maintenance leader does.
  int MakeDueAvailable();

  // Makes the running jobs of dead and vanished clients available again (or
  // discards them after their last attempt) and forgets those clients.
  // Returns how many jobs.
  int Rescue();

 private:
  void WithdrawDoubtful();

  sql::Pool& pool_;
  Announcer* const announcer_;
  Leasing leasing_;

  std::mutex mutex_;
  // Clients of leases in doubt. Protected by mutex_.
  std::vector<std::int64_t> doubtful_;
};

}  // namespace fluxnetes::queue
