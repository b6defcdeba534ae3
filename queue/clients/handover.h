// Jobs on their way from the thread of a process that inserts them to the
// thread that works on them. They are inserted as leased to the process, so no
// lease follows: that saves an update of each job's row, and where a
// transaction would only lease, that transaction.
//
//   handover.Insert(transaction, jobs);
//   transaction.Commit();           // now Take() gives them, once
//
// At most `capacity` jobs wait here, of all queues; more are inserted as
// available, for whoever leases them. If the process dies, its heartbeat ends,
// and its jobs are rescued as after any lease. If it is unknown whether the
// transaction was committed, the client is withdrawn (WorkQueue::Withdraw): no
// job stays leased to a living client that does not know it.
//
// A pause of a queue does not stop what was handed over before it. While the
// work on a queue fails here for a reason of this process, the queue is closed:
// its jobs are inserted as available, and other processes may lease them.
//
// Some queues have one leader that alone works on them (JointLeadership). Of
// these, jobs are leased only while this client leads: a new term waits for the
// transaction, and its owner takes the leases over.
//
// Thread-safe. Throws what WorkQueue throws. Outlives the transactions.
// Tests: tests/queue/clients/handover_pgtest.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "queue/clients/client.h"
#include "queue/store/work_queue.h"
#include "sql/connection/transaction.h"
#include "sql/mutex.h"

namespace fluxnetes::queue {

class Handover {
 public:
  Handover(WorkQueue& jobs, const Client& client, std::size_t capacity)
      : jobs_(jobs), client_(client), capacity_(capacity) {}

  // Inserts jobs without options. Returns their ids, in order. Announces
  // nothing.
  std::vector<Inserted> Insert(sql::Transaction& transaction,
                               std::span<const NewJob> jobs) EXCLUDES(mutex_);
  // Likewise, for queues whose leadership has the queue's name. Announces the
  // queues of the jobs that were not leased.
  std::vector<Inserted> InsertAsLeader(sql::Transaction& transaction,
                                       std::span<const NewJob> jobs)
      EXCLUDES(mutex_);

  // Returns up to `limit` jobs of a queue, first come, first served. Leases
  // that the client has lost since are left out.
  std::vector<Job> Take(const std::string& queue, int limit) EXCLUDES(mutex_);
  // Closes a queue until it is opened again, and returns the jobs that wait.
  std::vector<Job> Close(const std::string& queue) EXCLUDES(mutex_);
  void Open(const std::string& queue) EXCLUDES(mutex_);
  // Whether a job waits in some queue.
  bool AnyWaits() const EXCLUDES(mutex_);

 private:
  struct Handed {
    std::int64_t client = 0;
    Job job;
  };

  std::vector<Job> InsertLeased(sql::Transaction& transaction,
                                std::span<const NewJob> jobs, bool as_leader)
      EXCLUDES(mutex_);
  LeaseOfNew LeaseFor(std::span<const NewJob> jobs, bool as_leader)
      EXCLUDES(mutex_);
  std::vector<Job> TakeLocked(const std::string& queue, std::size_t limit)
      REQUIRES(mutex_);
  void Deliver(std::int64_t client, const std::vector<Job>& jobs)
      EXCLUDES(mutex_);

  WorkQueue& jobs_;
  const Client& client_;
  const std::size_t capacity_;

  mutable sql::Mutex mutex_;
  std::map<std::string, std::deque<Handed>> waiting_ GUARDED_BY(mutex_);
  std::set<std::string> closed_ GUARDED_BY(mutex_);
};

}  // namespace fluxnetes::queue
