// Rings when something may have changed in the database: nearly every change of
// a group brings jobs with it, and those are announced
// (queue/store/work_queue.h). It may ring for nothing, and it does not ring for
// everything, nor while the database is away: look now and then all the same.
//
// A connection and a thread of its own. One thread asks.
#pragma once

#include <atomic>

#include "sql/connection/listener.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

class ChangeBell {
 public:
  explicit ChangeBell(const sql::PoolOptions& database);
  ~ChangeBell();
  ChangeBell(const ChangeBell&) = delete;
  ChangeBell& operator=(const ChangeBell&) = delete;

  // Whether it has rung since this was asked last.
  bool HasRung() { return rung_.exchange(false); }

 private:
  std::atomic<bool> rung_{false};
  sql::Listener listener_;
};

}  // namespace fluxnetes::services
