// What the page Overview shows: counts, the oldest groups, the next starts. The
// groups are counted once for all callers, at most every two seconds.
//
// Thread-safe. Throws sql::Error.
// Tests: tests/services/operation/overview_pgtest.cc.
#pragma once

#include <chrono>
#include <optional>

#include "fluxnetes/v1/system.pb.h"
#include "sql/connection/transaction.h"
#include "sql/mutex.h"

namespace fluxnetes::services {

class Overview {
 public:
  // `now` is scheduling time. Callers wait while another one counts.
  v1::GetOverviewResponse Read(sql::Transaction& transaction,
                               sql::Timestamp now) EXCLUDES(mutex_);

 private:
  sql::Mutex mutex_;
  std::optional<v1::GetOverviewResponse> last_ GUARDED_BY(mutex_);
  std::chrono::steady_clock::time_point read_at_ GUARDED_BY(mutex_);
};

}  // namespace fluxnetes::services
