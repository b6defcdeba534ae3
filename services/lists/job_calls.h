// The calls of fluxnetes.v1 on jobs of the work queue.
//
// Throws GrpcRefusal and sql::Error. Thread-safe.
// Tests: tests/services/lists/lists_pgtest.cc.
#pragma once

#include <chrono>
#include <vector>

#include "queue/control/inspection.h"
#include "services/database/audit.h"
#include "sql/connection/pool.h"
#include "sql/connection/transaction.h"
#include "sql/mutex.h"

namespace fluxnetes::v1 {
class ChangeJobsRequest;
class ChangeJobsResponse;
class CountJobsResponse;
class ListJobsRequest;
class ListJobsResponse;
}  // namespace fluxnetes::v1

namespace fluxnetes::services {

void ListJobsFor(const v1::ListJobsRequest& request,
                 v1::ListJobsResponse& response, sql::Transaction& transaction,
                 sql::Timestamp now);

void ChangeJobsFor(const v1::ChangeJobsRequest& request,
                   v1::ChangeJobsResponse& response, sql::Pool& pool,
                   const Actor& actor);

// One count of all jobs for all callers, because a count reads every job. It is
// made anew when it is older than two seconds and twenty times what it took.
class JobTally {
 public:
  void Fill(v1::CountJobsResponse& response, sql::Transaction& transaction)
      EXCLUDES(mutex_);

 private:
  sql::Mutex mutex_;  // held while it counts: others wait for the same count
  std::vector<queue::JobCounts> counts_ GUARDED_BY(mutex_);
  sql::Timestamp counted_at_ GUARDED_BY(mutex_);
  std::chrono::steady_clock::time_point until_ GUARDED_BY(mutex_);
};

}  // namespace fluxnetes::services
